import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class InboundMetrics {
  /** `provider` is empty if the name is unknown. */
  readonly requests: Counter<'provider' | 'outcome'>;

  constructor(registry: Registry) {
    this.requests = new Counter({
      name: 'gangan_inbound_requests_total',
      help: 'Requests of providers: stored, repeated (already stored), verified (genuine, and not to be stored, as the first request of a subscription), unverified (stored while no worker answered), refused (404) or limited (429; 503 if too much is unverified)',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
    });
  }
}
