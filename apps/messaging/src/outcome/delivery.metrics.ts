import { Counter, Gauge, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { ChangedDelivery } from './apply.js';
import type { TrafficClass } from './retry-policy.js';

@Injectable()
export class DeliveryMetrics {
  private readonly changes: Counter<'state' | 'channel' | 'lane'>;
  private readonly calls: Histogram<'provider' | 'call'>;
  private readonly oldest: Gauge<'lane'>;
  private readonly parked: Counter<'provider'>;

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
    this.oldest = new Gauge({
      name: 'gangan_delivery_oldest_overdue_seconds',
      help: 'How long the oldest due delivery has been overdue',
      labelNames: ['lane'],
      registers,
    });
    this.parked = new Counter({
      name: 'gangan_delivery_parked_reports_total',
      help: 'Delivery reports that matched no delivery when they arrived',
      labelNames: ['provider'],
      registers,
    });
  }

  countChanges(deliveries: readonly ChangedDelivery[]): void {
    for (const { state, channel, trafficClass: lane } of deliveries)
      this.changes.inc({ state, channel, lane });
  }

  countParked(provider: string, reports: number): void {
    this.parked.inc({ provider }, reports);
  }

  observeCall(provider: string, call: 'submit' | 'ask', milliseconds: number): void {
    this.calls.observe({ provider, call }, milliseconds / 1_000);
  }

  setOldestOverdue(lane: TrafficClass, milliseconds: number): void {
    this.oldest.set({ lane }, milliseconds / 1_000);
  }
}
