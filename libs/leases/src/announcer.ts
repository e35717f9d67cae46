import type { DataOf, EventContract } from '@gangan/protocol';
import { type EmitOptions, QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

/** Announces rows that a transaction has committed, so that a worker claims them at once. */
@Injectable()
export class Announcer {
  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {}

  /**
   * Emits one event for each item. Call it after the commit. It never fails: if the queue is unreachable, it logs a
   * warning, and a sweeper finds the rows when they are due.
   * @param options the options of an item's event; a `jobId` keeps a second announcement from adding a second job
   */
  async announce<C extends EventContract>(
    event: C,
    items: readonly DataOf<C>[],
    options?: (item: DataOf<C>) => EmitOptions,
  ): Promise<void> {
    const emitted = await Promise.allSettled(
      items.map((item) =>
        lastValueFrom(this.queue.emit(event, item, options?.(item)), { defaultValue: undefined }),
      ),
    );
    const failed = emitted.filter((result) => result.status === 'rejected');
    if (failed.length === 0) return;
    const details = { err: failed[0]?.reason as unknown, event: event.name, count: failed.length };
    this.logger.warn(details, 'could not announce rows; a sweeper will find them');
  }
}
