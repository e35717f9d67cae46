import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class AirtimeMetrics {
  readonly ended: Counter<'outcome'>;
  readonly losses: Counter;

  constructor(registry: Registry) {
    this.ended = new Counter({
      name: 'gangan_airtime_ended_total',
      help: 'Finished purchases, by outcome; an error has to be resolved by an operator',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.losses = new Counter({
      name: 'gangan_airtime_losses_total',
      help: 'Purchases that were delivered after their refund',
      registers: [registry],
    });
  }
}
