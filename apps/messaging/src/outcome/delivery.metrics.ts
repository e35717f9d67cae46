import { Counter, Gauge, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class DeliveryMetrics {
  readonly changes: Counter<'state' | 'channel' | 'lane'>;
  /** In seconds. */
  readonly calls: Histogram<'provider' | 'call'>;
  readonly results: Counter<'provider' | 'outcome'>;
  /** In seconds. */
  readonly oldestOverdue: Gauge<'lane'>;
  readonly abandoned: Counter<'provider'>;
  readonly parked: Counter<'provider'>;
  readonly referenceConflicts: Counter<'provider'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.changes = new Counter({
      name: 'gangan_delivery_changes_total',
      help: 'Deliveries that a provider accepted (sent) or that reached a final state',
      labelNames: ['state', 'channel', 'lane'],
      registers,
    });
    this.calls = new Histogram({
      name: 'gangan_delivery_provider_seconds',
      help: 'Duration of calls to message providers',
      labelNames: ['provider', 'call'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 20, 60],
      registers,
    });
    this.results = new Counter({
      name: 'gangan_delivery_results_total',
      help: 'Results of submissions to message providers',
      labelNames: ['provider', 'outcome'],
      registers,
    });
    this.oldestOverdue = new Gauge({
      name: 'gangan_delivery_oldest_overdue_seconds',
      help: 'How long the oldest due delivery has been overdue',
      labelNames: ['lane'],
      registers,
    });
    this.abandoned = new Counter({
      name: 'gangan_delivery_abandoned_total',
      help: 'Deliveries that are not submitted again, because workers died while they submitted them',
      labelNames: ['provider'],
      registers,
    });
    this.parked = new Counter({
      name: 'gangan_delivery_parked_reports_total',
      help: 'Delivery reports that matched no delivery when they arrived',
      labelNames: ['provider'],
      registers,
    });
    this.referenceConflicts = new Counter({
      name: 'gangan_delivery_reference_conflicts_total',
      help: 'References that a provider returned for several messages',
      labelNames: ['provider'],
      registers,
    });
  }
}
