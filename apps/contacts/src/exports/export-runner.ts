import { LeasedJobRunner } from '@gangan/leases';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { transferJob } from '../transfers/transfer-job.js';
import type { ClaimedTransfer, TransferLease } from '../transfers/transfer-lease.js';
import { TransferMetrics } from '../transfers/transfers.metrics.js';
import { formatRows } from './csv.js';
import { ExportProgressRepository, type PortionSize } from './export-progress.repository.js';

export interface SliceSize extends PortionSize {
  /** After this many portions the next export runs. */
  readonly portions: number;
}

const defaultSize: SliceSize = { rows: 500, bytes: 4_194_304, portions: 100 };

@Injectable()
export class ExportJob {
  readonly lease: TransferLease;

  constructor(
    private readonly progress: ExportProgressRepository,
    private readonly metrics: TransferMetrics,
  ) {
    this.lease = progress.lease;
  }

  /** Exports the rows of a slice, or all that are left. */
  async runSlice(claimed: ClaimedTransfer, signal: AbortSignal, size = defaultSize): Promise<void> {
    const progress = await this.progress.read(claimed);
    let after = progress.lastId;
    for (let portions = 0; portions < size.portions && !signal.aborted; portions += 1) {
      const { rows, ended } = await this.progress.readRows(claimed, progress, after, size);
      const last = rows.at(-1);
      if (last) {
        const chunks = formatRows(rows, progress.columns);
        await this.progress.advance(claimed, { chunks, rows: rows.length, lastId: last.id });
        this.metrics.rows.inc({ kind: 'export' }, rows.length);
        after = last.id;
      }
      if (ended) {
        await this.progress.finish(claimed);
        this.metrics.ended.inc({ kind: 'export', outcome: 'done' });
        return;
      }
    }
    await this.lease.release(claimed);
  }
}

@Injectable()
export class ExportRunner extends LeasedJobRunner<ClaimedTransfer> {
  constructor(job: ExportJob, config: ContactsConfig, metrics: TransferMetrics, logger: AppLogger) {
    super(transferJob('export', job, config, metrics, logger), logger);
  }
}
