import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackMetrics } from '../callback.metrics.js';
import { ClaimsRepository } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';
import type { Host } from './host-limits.js';

const intervalMs = 1_000;
/** Statements per sweep, until all hosts were read. */
const maxParts = 5;

/** Finds due callbacks: those to retry, those whose event was lost, and those whose worker died. */
@Injectable()
export class Sweeper {
  private last: Host | undefined;
  /** Totals of the current pass over all hosts. */
  private pass = { oldestSeconds: 0, postponed: 0 };

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly dispatcher: Dispatcher,
    private readonly metrics: CallbackMetrics,
  ) {}

  /** Never asks for another run: the dispatcher continues by itself. */
  @Periodic('finding due callbacks', intervalMs)
  async sweep(): Promise<boolean> {
    let parts = 0;
    do {
      await this.sweepPart();
      parts += 1;
    } while (this.last && parts < maxParts);
    return false;
  }

  /** Skips organisations of which the parts before have found enough. */
  private async sweepPart(): Promise<void> {
    const { due, last } = await this.repository.findDueHosts(this.last, this.dispatcher.fullOrganisations());
    this.last = last;
    const ready = due.filter(({ isOpen }) => !isOpen).toSorted((a, b) => b.overdueSeconds - a.overdueSeconds);
    this.measure(ready[0]?.overdueSeconds ?? 0, due.length - ready.length);
    this.dispatcher.add(ready.map(({ organisationId, host }) => ({ organisationId, host })));
  }

  private measure(oldestSeconds: number, postponed: number): void {
    this.metrics.postponed.inc({ because: 'breaker' }, postponed);
    this.pass.oldestSeconds = Math.max(this.pass.oldestSeconds, oldestSeconds);
    this.pass.postponed += postponed;
    if (this.last) return;
    this.metrics.oldestOverdue.set(this.pass.oldestSeconds);
    this.metrics.postponedHosts.set(this.pass.postponed);
    this.pass = { oldestSeconds: 0, postponed: 0 };
  }
}
