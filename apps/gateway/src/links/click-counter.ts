import { type ClickedLink, countClicks } from '@gangan/contracts';
import { AppError } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger, PeriodicTask } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { ClickBuffer } from './click-buffer.js';

const restMs = 500;
const mostLinks = 10_000;
const mostAtOnce = 200;

/**
 * Tells the worker which links were followed, a little later and many at once: whoever follows one does not wait for
 * it. What could not be told is told again, unchanged, so that the worker knows it again.
 */
@Injectable()
export class ClickCounter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly buffer = new ClickBuffer(mostLinks);
  private readonly repeating: PeriodicTask;
  private untold: readonly ClickedLink[] = [];

  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {
    this.repeating = new PeriodicTask('counting clicks', restMs, () => this.tell(), logger);
  }

  onApplicationBootstrap(): void {
    this.repeating.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.repeating.stop();
    try {
      do await this.tell();
      while (this.buffer.size > 0);
    } catch (error) {
      this.logger.warn({ err: error }, 'stopped before all clicks were counted');
    }
  }

  count(code: string): void {
    this.buffer.add(code);
  }

  /** Tells whether there may be more. */
  private async tell(): Promise<boolean> {
    this.admitLosses();
    if (this.untold.length === 0) this.untold = this.buffer.take(mostAtOnce);
    if (this.untold.length === 0) return false;
    try {
      await firstValueFrom(this.queue.send(countClicks, { links: [...this.untold] }));
    } catch (error) {
      if (isTransient(error)) throw error;
      this.logger.error(
        { err: error, links: this.untold.length },
        'clicks were refused, and are not counted',
      );
    }
    this.untold = [];
    return this.buffer.size >= mostAtOnce;
  }

  private admitLosses(): void {
    if (this.buffer.lost === 0) return;
    this.logger.warn({ clicks: this.buffer.lost }, 'clicks of too many links at once were not counted');
    this.buffer.lost = 0;
  }
}

/** What is refused for another reason would be refused for ever, and hold up what comes after it. */
const isTransient = (error: unknown): boolean => error instanceof AppError && error.status === 503;
