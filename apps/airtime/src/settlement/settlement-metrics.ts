import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class SettlementMetrics {
  private readonly ended: Counter<'outcome'>;
  private readonly losses: Counter;

  constructor(registry: Registry) {
    this.ended = new Counter({
      name: 'gangan_airtime_ended_total',
      help: 'Purchases that ended, by outcome; those that end as error wait for a person',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.losses = new Counter({
      name: 'gangan_airtime_losses_total',
      help: 'Purchases that were given back and then delivered all the same',
      registers: [registry],
    });
  }

  countEnd(outcome: 'success' | 'failed' | 'duplicate' | 'error'): void {
    this.ended.inc({ outcome });
  }

  countLoss(): void {
    this.losses.inc();
  }
}
