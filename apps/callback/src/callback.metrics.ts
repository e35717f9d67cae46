import { Counter, Gauge, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class CallbackMetrics {
  readonly ended: Counter<'outcome'>;
  readonly attempts: Histogram<'outcome'>;
  readonly postponed: Counter<'because'>;
  readonly oldestOverdue: Gauge;
  readonly postponedHosts: Gauge;
  readonly failingHosts: Gauge;
  /** The label `lane` is the pool. */
  readonly inFlight: Gauge<'lane'>;

  constructor(registry: Registry) {
    const options = <L extends string>(name: string, help: string, ...labelNames: readonly L[]) => ({
      name: `gangan_callback_${name}`,
      help,
      labelNames,
      registers: [registry],
    });
    const endings =
      'delivered, failed (after the last attempt, or the endpoint is off), gone (410) or given_up (undelivered for too long)';
    this.ended = new Counter(options('ended_total', `Ended callbacks: ${endings}`, 'outcome'));
    const duration = 'Duration of attempts, by the state of the callback after them (pending: it is retried)';
    this.attempts = new Histogram({
      ...options('attempt_seconds', duration, 'outcome'),
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
    });
    const reasons = 'its circuit is open (breaker), or it has too many attempts in flight (limit)';
    const skipped = `Times that a host with due callbacks was skipped: ${reasons}`;
    this.postponed = new Counter(options('postponed_total', skipped, 'because'));
    const overdue = 'How long the oldest due callback has waited, without hosts that keep failing';
    this.oldestOverdue = new Gauge(options('oldest_overdue_seconds', overdue));
    this.postponedHosts = new Gauge(
      options('postponed_hosts', 'Hosts that keep failing and have due callbacks'),
    );
    const failing = 'Hosts that have accepted no callback for an hour or longer';
    this.failingHosts = new Gauge(options('failing_hosts', failing));
    const inFlight =
      'Attempts of this worker in flight, by pool; late: attempts of the fast pool that turned out slow';
    this.inFlight = new Gauge(options('under_way', inFlight, 'lane'));
  }
}
