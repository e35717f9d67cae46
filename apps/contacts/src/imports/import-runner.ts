import type { ContactDateFormat } from '@gangan/contracts';
import { type ContactImport, sqlState, type Statements } from '@gangan/database';
import { LeasedJobRunner } from '@gangan/leases';
import { isQuotaExceeded, mapInSlices, newId, timeOfId } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { RowsRepository } from '../rows/rows.repository.js';
import { type UpsertResult, type UpsertRow, UpsertsRepository } from '../rows/upserts.repository.js';
import type { Column } from '../tables/table.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { queryCanceled } from '../transactions.js';
import { transferJob } from '../transfers/transfer-job.js';
import type { ClaimedTransfer, TransferLease } from '../transfers/transfer-lease.js';
import { TransferFailedError } from '../transfers/transfers.errors.js';
import { TransferMetrics } from '../transfers/transfers.metrics.js';
import { checkLine } from './check-line.js';
import { inPortions, type Line, readLines } from './csv-lines.js';
import { ImportsRepository, type LinesResult } from './imports.repository.js';
import type { RejectedLine } from './rejected-lines.js';

export interface SliceSize {
  /** A portion, written in one transaction, has at most this many lines and about this many bytes. */
  readonly lines: number;
  readonly bytes: number;
  /** After this many portions the next import runs. */
  readonly portions: number;
}

const defaultSize: SliceSize = { lines: 1_000, bytes: 262_144, portions: 20 };

@Injectable()
export class ImportJob {
  readonly lease: TransferLease;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly tables: TablesRepository,
    private readonly rows: RowsRepository,
    private readonly upserts: UpsertsRepository,
    private readonly metrics: TransferMetrics,
  ) {
    this.lease = imports.lease;
  }

  /** Imports the lines of a slice, or all that are left. */
  async runSlice(claimed: ClaimedTransfer, signal: AbortSignal, size = defaultSize): Promise<void> {
    const progress = await this.imports.read(claimed);
    const from = { bytes: Number(progress.taken), line: progress.line };
    const parts = this.imports.parts(claimed, from.bytes, Number(progress.bytes));
    const lines = readLines(parts, progress.delimiter, from);
    let [written, maxLines] = [0, size.lines];
    for await (const portion of inPortions(lines, size.lines, size.bytes)) {
      maxLines = await this.writePortion(claimed, progress, portion, maxLines);
      written += 1;
      if (written === size.portions || signal.aborted) return this.lease.release(claimed);
    }
    await this.imports.finish(claimed);
    this.metrics.ended.inc({ kind: 'import', outcome: 'done' });
  }

  /** Halves a batch that takes the database too long, or does not fit into a quota. Returns the size of a batch that worked. */
  private async writePortion(
    claimed: ClaimedTransfer,
    progress: ContactImport,
    lines: readonly Line[],
    maxLines: number,
  ): Promise<number> {
    let size = maxLines;
    for (let index = 0; index < lines.length;) {
      const batch = lines.slice(index, index + size);
      try {
        await this.writeBatch(claimed, progress, batch);
        index += batch.length;
      } catch (error) {
        const isTooLarge = sqlState(error) === queryCanceled || isQuotaExceeded(error);
        if (!isTooLarge || batch.length === 1) throw error;
        size = Math.ceil(batch.length / 2);
        await this.lease.renew(claimed);
      }
    }
    return size;
  }

  private async writeBatch(
    claimed: ClaimedTransfer,
    { columns: columnIds, upsertColumnId, dateFormat }: ContactImport,
    lines: readonly Line[],
  ): Promise<void> {
    // Read for every batch, because columns may change during the import.
    const table = await this.tables.findOrCreate(claimed.organisationId);
    const columns = columnIds.map((id) => findColumn(id, table.columns));
    const rules = { columns, upsertColumnId, dateFormat: dateFormat as ContactDateFormat };
    const checked = await mapInSlices(lines, (line) => checkLine(line, rules));
    const rejected = lines.flatMap((line, index): RejectedLine[] => {
      const problem = checked[index];
      return problem && 'message' in problem ? [{ line, problem }] : [];
    });
    const rows = checked
      .filter((result) => 'written' in result)
      .map((cells) => ({ ...cells, tableId: claimed.tableId, ...newRow() }));
    const end = lines.at(-1)?.end;
    if (!end) return;
    await this.imports.advance(claimed, async (transaction): Promise<LinesResult> => ({
      ...(await this.writeRows(transaction, upsertColumnId, rows)),
      rejected,
      end,
    }));
    this.metrics.rows.inc({ kind: 'import' }, lines.length);
  }

  private async writeRows(
    transaction: Statements,
    upsertColumnId: string | null,
    rows: readonly UpsertRow[],
  ): Promise<UpsertResult> {
    if (rows.length === 0) return { created: 0, updated: 0 };
    if (upsertColumnId === null) {
      return { created: await this.rows.insert(transaction, rows), updated: 0 };
    }
    return this.upserts.upsert(transaction, upsertColumnId, rows);
  }
}

const newRow = () => {
  const id = newId();
  return { id, createdAt: timeOfId(id) };
};

function findColumn(id: string, columns: readonly Column[]): Column {
  const column = columns.find((known) => known.id === id);
  if (!column) throw new TransferFailedError('A column of the file was removed during the import');
  return column;
}

@Injectable()
export class ImportRunner extends LeasedJobRunner<ClaimedTransfer> {
  constructor(job: ImportJob, config: ContactsConfig, metrics: TransferMetrics, logger: AppLogger) {
    super(transferJob('import', job, config, metrics, logger), logger);
  }
}
