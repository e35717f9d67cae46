import { type ClickedLink, countClicks, maxIndividualClicks } from '@gangan/contracts';
import { AppError, newId } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger, PeriodicTask } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';

const intervalMs = 500;
const maxLinks = 10_000;
const maxLinksPerReport = 200;

/** Reports clicks in batches. A failed report is sent again unchanged: the worker recognises it by its ids. */
@Injectable()
export class ClickCounter implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly buffer = new ClickBuffer(maxLinks);
  private readonly task: PeriodicTask;
  private unreported: readonly ClickedLink[] = [];

  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {
    this.task = new PeriodicTask('counting clicks', intervalMs, () => this.report(), logger);
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task.stop();
    try {
      do await this.report();
      while (this.buffer.size > 0);
    } catch (error) {
      this.logger.warn({ err: error }, 'stopped before all clicks were counted');
    }
  }

  count(code: string): void {
    this.buffer.add(code);
  }

  /** Returns whether there may be more. */
  private async report(): Promise<boolean> {
    if (this.buffer.lost > 0) {
      this.logger.warn({ clicks: this.buffer.lost }, 'clicks were not counted: too many links at once');
      this.buffer.lost = 0;
    }
    if (this.unreported.length === 0) this.unreported = this.buffer.take(maxLinksPerReport);
    if (this.unreported.length === 0) return false;
    try {
      await firstValueFrom(this.queue.send(countClicks, { links: [...this.unreported] }));
    } catch (error) {
      if (isTransient(error)) throw error;
      this.logger.error(
        { err: error, links: this.unreported.length },
        'clicks were rejected and are not counted',
      );
    }
    this.unreported = [];
    return this.buffer.size >= maxLinksPerReport;
  }
}

/** Any other error would repeat forever and block the clicks behind it. */
const isTransient = (error: unknown): boolean => error instanceof AppError && error.status === 503;

/** Clicks that are not reported yet. Its size depends on the number of links, not of clicks. */
export class ClickBuffer {
  private readonly clicks = new Map<string, { readonly ids: string[]; more: number }>();
  /** Clicks of links for which there was no room. */
  lost = 0;

  constructor(private readonly maxLinks: number) {}

  /** The number of links. */
  get size(): number {
    return this.clicks.size;
  }

  add(code: string): void {
    const known = this.clicks.get(code);
    if (known && known.ids.length >= maxIndividualClicks) known.more += 1;
    else if (known) known.ids.push(newId());
    else if (this.clicks.size < this.maxLinks) this.clicks.set(code, { ids: [newId()], more: 0 });
    else this.lost += 1;
  }

  /** Removes and returns the oldest. */
  take(limit: number): ClickedLink[] {
    const taken = [...this.clicks].slice(0, limit);
    for (const [code] of taken) this.clicks.delete(code);
    return taken.map(([code, { ids, more }]) => ({ code, ids, more }));
  }
}
