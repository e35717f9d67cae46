import { contactExportDue, contactImportDue } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { lastValueFrom } from 'rxjs';

/** Tells a worker, perhaps this one, that there is something to import or to export. */
@Injectable()
export class TransferAnnouncer {
  constructor(
    private readonly queue: QueueClient,
    private readonly logger: AppLogger,
  ) {}

  /** To be called after the commit. Never fails: what is not heard of is found a little later. */
  async announce(what: 'import' | 'export', id: string): Promise<void> {
    const due = what === 'import' ? contactImportDue : contactExportDue;
    try {
      await lastValueFrom(this.queue.emit(due, { id }, { jobId: `${id}-0` }), { defaultValue: undefined });
    } catch (error) {
      this.logger.warn({ err: error, what, id }, 'could not be announced');
    }
  }
}
