import { Counter, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/** `spared`: the provider failed too often lately and was not asked. */
export type LiveOutcome = 'answered' | 'failed' | 'spared';

@Injectable()
export class LiveMetrics {
  private readonly asked: Counter<'outcome'>;
  private readonly seconds: Histogram;

  constructor(registry: Registry) {
    this.asked = new Counter({
      name: 'gangan_lookup_live_total',
      help: 'Look-ups that a live provider should answer, by what came of it',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.seconds = new Histogram({
      name: 'gangan_lookup_live_seconds',
      help: 'How long the live provider took to answer or to fail',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4],
      registers: [registry],
    });
  }

  count(outcome: LiveOutcome): void {
    this.asked.inc({ outcome });
  }

  took(seconds: number): void {
    this.seconds.observe(seconds);
  }
}
