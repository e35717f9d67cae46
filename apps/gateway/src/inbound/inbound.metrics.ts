import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class InboundMetrics {
  /** `provider` is empty if the name is unknown. */
  readonly requests: Counter<'provider' | 'outcome'>;

  constructor(registry: Registry) {
    this.requests = new Counter({
      name: 'gangan_inbound_requests_total',
      help: 'Requests of providers: stored, repeated (already stored), verified (the first request of a subscription), refused (not verified) or limited (429)',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
    });
  }
}
