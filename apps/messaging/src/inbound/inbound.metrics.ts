import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class InboundMetrics {
  readonly read: Counter<'provider' | 'state'>;

  constructor(registry: Registry) {
    this.read = new Counter({
      name: 'gangan_inbound_read_total',
      help: 'Requests of providers that were read (handled), or could not be read (unparsed)',
      labelNames: ['provider', 'state'],
      registers: [registry],
    });
  }
}
