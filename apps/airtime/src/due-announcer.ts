import { airtimeDue } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

/** Tells a worker, perhaps this one, that a purchase was paid for. */
@Injectable()
export class DueAnnouncer {
  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {}

  /** To be called after the commit. Never fails: what is not heard of is found overdue a little later. */
  async announce(id: string): Promise<void> {
    try {
      const told = this.queue.emit(airtimeDue, { id }, { jobId: `${id}-0` });
      await lastValueFrom(told, { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, purchase: id }, 'a purchase could not be announced');
    }
  }
}
