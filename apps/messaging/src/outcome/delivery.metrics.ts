import type { DeliveryLane } from '@gangan/database';
import { Counter, Gauge, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { type Change, isNews } from './change.js';

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
      help: 'Deliveries that a carrier took (sent) or that ended, by state',
      labelNames: ['state', 'channel', 'lane'],
      registers,
    });
    this.calls = new Histogram({
      name: 'gangan_delivery_provider_seconds',
      help: 'How long providers take to answer a call',
      labelNames: ['provider', 'call'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 20, 60],
      registers,
    });
    this.oldest = new Gauge({
      name: 'gangan_delivery_oldest_overdue_seconds',
      help: 'For how long the delivery that waits longest has been overdue',
      labelNames: ['lane'],
      registers,
    });
    this.parked = new Counter({
      name: 'gangan_delivery_parked_reports_total',
      help: 'Reports of providers that fitted no delivery when they came',
      labelNames: ['provider'],
      registers,
    });
  }

  count(changes: readonly Change[]): void {
    for (const { state, channel, lane } of changes.filter(isNews)) this.changes.inc({ state, channel, lane });
  }

  countParked(provider: string, reports: number): void {
    this.parked.inc({ provider }, reports);
  }

  /** @param seconds how long it took */
  called(provider: string, call: 'submit' | 'ask', seconds: number): void {
    this.calls.observe({ provider, call }, seconds);
  }

  overdue(lane: DeliveryLane, milliseconds: number): void {
    this.oldest.set({ lane }, milliseconds / 1_000);
  }
}
