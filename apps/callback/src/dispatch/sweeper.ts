import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CallbackMetrics } from '../callback-metrics.js';
import { ClaimsRepository } from './claims.repository.js';
import { Dispatcher } from './dispatcher.js';

const restMs = 1_000;

/** Finds what is due: callbacks that are to be tried again, whose event was lost, or whose worker died. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly repeating: Repeating;

  constructor(
    private readonly repository: ClaimsRepository,
    private readonly dispatcher: Dispatcher,
    private readonly metrics: CallbackMetrics,
    logger: AppLogger,
  ) {
    this.repeating = new Repeating('looking for overdue callbacks', restMs, () => this.sweep(), logger);
  }

  onApplicationBootstrap(): void {
    this.repeating.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.repeating.stop();
  }

  /** There is never more to do at once: the dispatcher goes on by itself. */
  private async sweep(): Promise<boolean> {
    const due = await this.repository.dueHosts();
    const ready = due.filter(({ isOpen }) => !isOpen);
    this.metrics.showDue(ready[0]?.overdueSeconds ?? 0, due.length - ready.length);
    this.metrics.countPostponed('breaker', due.length - ready.length);
    this.dispatcher.wake(ready.map(({ organisationId, host }) => ({ organisationId, host })));
    return false;
  }
}
