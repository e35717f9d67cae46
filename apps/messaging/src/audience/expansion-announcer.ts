import { smsExpansionDue } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

/** Tells a worker, perhaps this one, that there is a smartlist to expand. */
@Injectable()
export class ExpansionAnnouncer {
  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {}

  /** To be called after the commit. Never fails: what is not heard of is found a little later. */
  async announce(id: string): Promise<void> {
    try {
      const told = this.queue.emit(smsExpansionDue, { id }, { jobId: `${id}-expansion-0` });
      await lastValueFrom(told, { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, message: id }, 'the expansion of a smartlist could not be announced');
    }
  }
}
