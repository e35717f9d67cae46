import { Counter, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class LookupMetrics {
  readonly calls: Counter<'outcome'>;
  readonly providerCalls: Counter<'provider' | 'outcome'>;
  readonly seconds: Histogram;
  readonly batchNumbers: Counter;
  readonly batchesEnded: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.calls = new Counter({
      name: 'gangan_lookup_live_total',
      help: 'Lookups for live providers, by outcome; spared: none was called because they failed too often',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.providerCalls = new Counter({
      name: 'gangan_lookup_provider_calls_total',
      help: 'Calls to lookup providers, by outcome; account: it refuses our account, not_found: it does not know the number',
      labelNames: ['provider', 'outcome'],
      registers: [registry],
    });
    this.seconds = new Histogram({
      name: 'gangan_lookup_live_seconds',
      help: 'Duration of the calls to lookup providers',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4],
      registers: [registry],
    });
    this.batchNumbers = new Counter({
      name: 'gangan_lookup_batch_numbers_total',
      help: 'Numbers of batches that were looked up',
      registers: [registry],
    });
    this.batchesEnded = new Counter({
      name: 'gangan_lookup_batches_ended_total',
      help: 'Batches of lookups that ended: done or failed',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }
}
