import { callbackDue } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

/** Tells the callback worker that there is something to deliver. */
@Injectable()
export class CallbackAnnouncer {
  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {}

  /** To be called after the commit. Never fails: what is not heard of is found overdue a little later. */
  async announce(ids: readonly string[]): Promise<void> {
    const told = await Promise.allSettled(
      ids.map((id) => lastValueFrom(this.queue.emit(callbackDue, { id }), { defaultValue: undefined })),
    );
    const failed = told.find((result) => result.status === 'rejected');
    if (failed) this.logger.warn({ err: failed.reason as unknown }, 'callbacks could not be announced');
  }
}
