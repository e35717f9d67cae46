import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackMetrics } from '../callback-metrics.js';
import { ClaimsRepository } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';
import type { Host } from './isolation.js';

const restMs = 1_000;

/** Finds what is due: callbacks that are to be tried again, whose event was lost, or whose worker died. */
@Injectable()
export class Sweeper {
  private last: Host | undefined;
  /** Of this round through all hosts, so far. */
  private round = { oldestSeconds: 0, postponed: 0 };

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly dispatcher: Dispatcher,
    private readonly metrics: CallbackMetrics,
  ) {}

  /** A part of the hosts each time. There is never more to do at once: the dispatcher goes on by itself. */
  @Periodic('looking for overdue callbacks', restMs)
  async sweep(): Promise<boolean> {
    const { due, last } = await this.repository.dueHosts(this.last);
    this.last = last;
    const ready = due.filter(({ isOpen }) => !isOpen).toSorted((a, b) => b.overdueSeconds - a.overdueSeconds);
    this.measure(ready[0]?.overdueSeconds ?? 0, due.length - ready.length);
    this.dispatcher.wake(ready.map(({ organisationId, host }) => ({ organisationId, host })));
    return false;
  }

  private measure(oldestSeconds: number, postponed: number): void {
    this.metrics.countPostponed('breaker', postponed);
    this.round.oldestSeconds = Math.max(this.round.oldestSeconds, oldestSeconds);
    this.round.postponed += postponed;
    if (this.last) return;
    this.metrics.showDue(this.round.oldestSeconds, this.round.postponed);
    this.round = { oldestSeconds: 0, postponed: 0 };
  }
}
