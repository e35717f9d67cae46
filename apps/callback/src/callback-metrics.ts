import { Counter, Gauge, Histogram, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { Place } from './dispatch/slots.js';

const upToTheTimeout = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

@Injectable()
export class CallbackMetrics {
  private readonly ended: Counter<'outcome'>;
  private readonly attempts: Histogram<'outcome'>;
  private readonly postponed: Counter<'because'>;
  private readonly overdue: Gauge;
  private readonly waiting: Gauge;
  private readonly failing: Gauge;
  private readonly underWay: Gauge<'lane'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.ended = new Counter({
      name: 'gangan_callback_ended_total',
      help: 'Callbacks that ended: delivered, failed (all attempts in vain), gone (answered 410) or given_up (not delivered for too long)',
      labelNames: ['outcome'],
      registers,
    });
    this.attempts = new Histogram({
      name: 'gangan_callback_attempt_seconds',
      help: 'Time that an attempt took, by what the callback became by it (pending: it is tried again)',
      labelNames: ['outcome'],
      buckets: upToTheTimeout,
      registers,
    });
    this.postponed = new Counter({
      name: 'gangan_callback_postponed_total',
      help: 'Times that a host was found with something due and given nothing: it keeps failing (breaker), or has as many under way as it may (limit)',
      labelNames: ['because'],
      registers,
    });
    this.overdue = new Gauge({
      name: 'gangan_callback_oldest_overdue_seconds',
      help: 'How long the longest waiting callback has been due, but for hosts that keep failing',
      registers,
    });
    this.waiting = new Gauge({
      name: 'gangan_callback_postponed_hosts',
      help: 'Hosts that keep failing, while something is due for them',
      registers,
    });
    this.failing = new Gauge({
      name: 'gangan_callback_failing_hosts',
      help: 'Hosts that have taken nothing for an hour or longer, though they were tried',
      registers,
    });
    this.underWay = new Gauge({
      name: 'gangan_callback_under_way',
      help: 'Attempts of this worker that are under way, by lane; late: of the fast lane, and turned out slow',
      labelNames: ['lane'],
      registers,
    });
  }

  countAttempt(state: 'delivered' | 'gone' | 'pending' | 'failed', seconds: number): void {
    this.attempts.observe({ outcome: state }, seconds);
    if (state !== 'pending') this.ended.inc({ outcome: state });
  }

  countGivenUp(callbacks: number): void {
    this.ended.inc({ outcome: 'given_up' }, callbacks);
  }

  countPostponed(because: 'breaker' | 'limit', times = 1): void {
    this.postponed.inc({ because }, times);
  }

  showDue(oldestSeconds: number, postponedHosts: number): void {
    this.overdue.set(oldestSeconds);
    this.waiting.set(postponedHosts);
  }

  showFailing(hosts: number): void {
    this.failing.set(hosts);
  }

  showUnderWay(lane: Place, attempts: number): void {
    this.underWay.set({ lane }, attempts);
  }
}
