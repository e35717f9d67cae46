import { sql, sqlState, type Statements } from '@gangan/database';
import { newId, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { RowsRepository } from '../rows/rows.repository.js';
import { type Upserted, type UpsertRow, UpsertRows } from '../rows/upsert-rows.js';
import type { Column } from '../tables/column.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { type Held, Hopeless } from '../transfers/held.js';
import { TransferMetrics } from '../transfers/transfer-metrics.js';
import { checkLine } from './check-line.js';
import { type Line, linesOf } from './csv-lines.js';
import { ImportProgressRepository, type Outcome, type Progress } from './import-progress.repository.js';
import { inPortions } from './portions.js';

export interface Pace {
  /** What is written together: at most so many lines, of about so many bytes, each of which is a term of the index. */
  readonly lines: number;
  readonly bytes: number;
  /** After so many of these the next import has its turn. */
  readonly portions: number;
}

const usualPace: Pace = { lines: 1_000, bytes: 262_144, portions: 20 };

const tookTooLong = '57014';

/** Carries imports out. */
@Injectable()
export class ImportWork {
  constructor(
    private readonly progress: ImportProgressRepository,
    private readonly tables: TablesRepository,
    private readonly rows: RowsRepository,
    private readonly upserts: UpsertRows,
    private readonly metrics: TransferMetrics,
  ) {}

  /** A turn's worth of lines, or up to the end. */
  async carryOn(held: Held, signal: AbortSignal, pace = usualPace): Promise<void> {
    const progress = await this.progress.read(held);
    const parts = this.progress.parts(held, progress.end.bytes, progress.bytes);
    const lines = linesOf(parts, progress.delimiter, progress.end);
    let [taken, most] = [0, pace.lines];
    for await (const portion of inPortions(lines, pace.lines, pace.bytes)) {
      most = await this.takeAll(held, progress, portion, most);
      taken += 1;
      if (taken === pace.portions || signal.aborted) return this.progress.leases.giveBack(held);
    }
    await this.progress.finish(held);
    this.metrics.countEnd('import', 'done');
  }

  /** What takes the database too long is tried again in halves. Tells how many lines may be tried together after that. */
  private async takeAll(
    held: Held,
    progress: Progress,
    lines: readonly Line[],
    most: number,
  ): Promise<number> {
    let together = most;
    for (let at = 0; at < lines.length;) {
      const some = lines.slice(at, at + together);
      try {
        await this.take(held, progress, some);
        at += some.length;
      } catch (error) {
        if (sqlState(error) !== tookTooLong || some.length === 1) throw error;
        together = Math.ceil(some.length / 2);
        await this.progress.leases.renew(held);
      }
    }
    return together;
  }

  private async take(held: Held, progress: Progress, lines: readonly Line[]): Promise<void> {
    // Asked anew each time: columns come and go meanwhile.
    const { columns } = await this.tables.of(held.organisationId);
    const named = progress.columns.map((id) => columnOf(id, columns));
    const checked = lines.map((line) => checkLine(line, named, progress.upsertColumnId));
    const problems = checked.filter((result) => 'message' in result);
    const rows = checked
      .filter((result) => 'written' in result)
      .map((cells) => ({ ...cells, tableId: held.tableId, ...newRow() }));
    const end = lines.at(-1)?.end ?? progress.end;
    await this.progress.advance(held, async (transaction): Promise<Outcome> => ({
      ...(await this.write(transaction, progress.upsertColumnId, rows)),
      problems,
      end,
    }));
    this.metrics.countRows('import', lines.length);
  }

  private async write(
    transaction: Statements,
    upsertColumnId: string | null,
    rows: readonly UpsertRow[],
  ): Promise<Upserted> {
    if (rows.length === 0) return { created: 0, updated: 0 };
    if (upsertColumnId === null) {
      return { created: await this.rows.insert(transaction, rows), updated: 0 };
    }
    // The planner may take a table for empty that no longer is, and read all of it.
    await transaction.query(sql`SELECT set_config('enable_seqscan', 'off', true)`);
    return this.upserts.upsert(transaction, upsertColumnId, rows);
  }
}

const newRow = () => {
  const id = newId();
  return { id, createdAt: timeOfId(id) };
};

function columnOf(id: string, columns: readonly Column[]): Column {
  const column = columns.find((known) => known.id === id);
  if (!column) throw new Hopeless('A column that the file names was removed meanwhile');
  return column;
}
