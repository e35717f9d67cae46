import { Counter, Gauge, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class CallbackMetrics {
  private readonly ended: Counter<'outcome'>;
  private readonly attempts: Histogram<'outcome'>;
  private readonly postponed: Counter<'because'>;
  private readonly overdue: Gauge;
  private readonly postponedHosts: Gauge;
  private readonly failingHosts: Gauge;
  private readonly inFlight: Gauge<'lane'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.ended = new Counter({
      name: 'gangan_callback_ended_total',
      help: 'Ended callbacks: delivered, failed (after the last attempt), gone (410) or given_up (undelivered for too long)',
      labelNames: ['outcome'],
      registers,
    });
    this.attempts = new Histogram({
      name: 'gangan_callback_attempt_seconds',
      help: 'Duration of attempts, by the state of the callback after them (pending: it is retried)',
      labelNames: ['outcome'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
      registers,
    });
    this.postponed = new Counter({
      name: 'gangan_callback_postponed_total',
      help: 'Times that a host with due callbacks got none: it keeps failing (breaker), or has too many in flight (limit)',
      labelNames: ['because'],
      registers,
    });
    this.overdue = new Gauge({
      name: 'gangan_callback_oldest_overdue_seconds',
      help: 'How long the oldest due callback has waited, without hosts that keep failing',
      registers,
    });
    this.postponedHosts = new Gauge({
      name: 'gangan_callback_postponed_hosts',
      help: 'Hosts that keep failing and have due callbacks',
      registers,
    });
    this.failingHosts = new Gauge({
      name: 'gangan_callback_failing_hosts',
      help: 'Hosts that have accepted no callback for an hour or longer',
      registers,
    });
    this.inFlight = new Gauge({
      name: 'gangan_callback_under_way',
      help: 'Attempts of this worker in flight, by pool; late: attempts of the fast pool that turned out slow',
      labelNames: ['lane'],
      registers,
    });
  }

  countAttempt(state: 'delivered' | 'gone' | 'pending' | 'failed', seconds: number): void {
    this.attempts.observe({ outcome: state }, seconds);
    if (state !== 'pending') this.ended.inc({ outcome: state });
  }

  countExpired(callbacks: number): void {
    this.ended.inc({ outcome: 'given_up' }, callbacks);
  }

  countPostponed(because: 'breaker' | 'limit', times = 1): void {
    this.postponed.inc({ because }, times);
  }

  setDue(oldestSeconds: number, postponedHosts: number): void {
    this.overdue.set(oldestSeconds);
    this.postponedHosts.set(postponedHosts);
  }

  setFailingHosts(hosts: number): void {
    this.failingHosts.set(hosts);
  }

  setInFlight(pool: 'fast' | 'slow' | 'late', attempts: number): void {
    this.inFlight.set({ lane: pool }, attempts);
  }
}
