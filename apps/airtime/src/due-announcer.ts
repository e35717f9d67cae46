import { airtimeDue } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

/** Announces a new purchase to the airtime workers. */
@Injectable()
export class DueAnnouncer {
  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {}

  /** Call after the commit. Never fails: the sweeper finds a purchase whose event was lost. */
  async announce(id: string): Promise<void> {
    try {
      const sent = this.queue.emit(airtimeDue, { id }, { jobId: `${id}-0` });
      await lastValueFrom(sent, { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, purchase: id }, 'a purchase could not be announced');
    }
  }
}
