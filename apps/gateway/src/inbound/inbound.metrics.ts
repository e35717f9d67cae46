import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class InboundMetrics {
  /** `provider` is empty if there is none of that name. */
  readonly requests: Counter<'provider' | 'outcome'>;

  constructor(registry: Registry) {
    this.requests = new Counter({
      name: 'gangan_inbound_requests_total',
      help: 'Requests of providers: stored, repeated (stored before), refused (not genuine) or limited (429)',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
    });
  }
}
