import { Counter, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class LookupMetrics {
  readonly calls: Counter<'outcome'>;
  readonly seconds: Histogram;

  constructor(registry: Registry) {
    this.calls = new Counter({
      name: 'gangan_lookup_live_total',
      help: 'Lookups for the live provider, by outcome; spared: not called because it failed too often',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.seconds = new Histogram({
      name: 'gangan_lookup_live_seconds',
      help: 'Duration of the calls to the live provider',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4],
      registers: [registry],
    });
  }
}
