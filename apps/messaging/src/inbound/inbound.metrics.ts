import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class InboundMetrics {
  readonly read: Counter<'provider' | 'state'>;
  readonly unverified: Counter<'provider' | 'outcome'>;

  constructor(registry: Registry) {
    this.read = new Counter({
      name: 'gangan_inbound_read_total',
      help: 'Requests of providers that were read (handled), or could not be read (unparsed)',
      labelNames: ['provider', 'state'],
      registers: [registry],
    });
    this.unverified = new Counter({
      name: 'gangan_inbound_unverified_total',
      help: 'Requests of providers that a gateway stored while no worker answered, once they were verified: genuine, repeated (already stored) or refused (removed)',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
    });
  }
}
