import { Database, sql, type Statements } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { parseDurations } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import type { Filter } from '../filters/filter.js';
import { atOneMoment } from '../query/moment.js';
import { type Count, countRows } from '../query/row-search.js';
import { reading } from '../reading.js';
import type { Runner } from '../runner.js';
import type { Column } from '../tables/column.js';
import { changeStructure } from '../tables/structure.js';
import { dueNow } from '../transfers/leases.js';
import { headerText } from './csv-text.js';
import { exportColumns, type ExportRow } from './export-row.js';
import { tooManyExports } from './exports.errors.js';

/** Kept at a time, per table: their files fill the database. */
const mostExports = 20;

export interface NewExport {
  readonly id: string;
  readonly tableId: string;
  readonly filters: readonly Filter[];
  readonly columns: readonly Column[];
  readonly createdAt: Date;
}

@Injectable()
export class ExportsRepository {
  private readonly keptMs: number;

  constructor(
    private readonly database: Database,
    { CONTACT_EXPORT_KEPT_FOR: kept }: ContactsConfig,
  ) {
    [this.keptMs = 0] = parseDurations(kept) ?? [];
  }

  /** An export that is there already stays as it is. @throws AppError 429 */
  async create(wish: NewExport): Promise<ExportRow | undefined> {
    const { id, tableId, filters, columns, createdAt } = wish;
    const { snapshot, total, bounded } = await this.survey(wish);
    return changeStructure(this.database, tableId, async (transaction) => {
      await this.makeRoom(transaction, tableId, id);
      const header = Buffer.from(headerText(columns));
      await transaction.execute(sql`
        WITH made AS (
          INSERT INTO contact_export (id, table_id, filters, columns, snapshot, rows_total, parts, bytes, created_at,
            next_attempt_at)
          VALUES (${id}, ${tableId}, ${JSON.stringify(filters)}::jsonb, ${JSON.stringify(columns)}::jsonb,
            ${snapshot}::pg_snapshot, ${bounded ? null : total}::int, 1, ${header.length}, ${createdAt}, ${dueNow})
          ON CONFLICT DO NOTHING RETURNING id)
        INSERT INTO contact_export_part (export_id, number, data) SELECT id, 0, ${header}::bytea FROM made`);
      return own(transaction, tableId, id);
    });
  }

  find(tableId: string, id: string): Promise<ExportRow | undefined> {
    return reading(own(this.database, tableId, id));
  }

  /** Newest first. */
  list(tableId: string, before: string | undefined, limit: number): Promise<ExportRow[]> {
    return reading(
      this.database.query<ExportRow>(sql`
        SELECT ${exportColumns} FROM contact_export
        WHERE table_id = ${tableId} AND id < ${before ?? maxId}::uuid ORDER BY id DESC LIMIT ${limit}`),
    );
  }

  async part(id: string, number: number): Promise<Buffer | undefined> {
    const [part] = await reading(
      this.database.query<{ data: Buffer }>(
        sql`SELECT data FROM contact_export_part WHERE export_id = ${id} AND number = ${number}`,
      ),
    );
    return part?.data;
  }

  /** With its file, whatever its state: a worker that has it in hand finds it gone. Gives it as it was. */
  async remove(tableId: string, id: string): Promise<ExportRow | undefined> {
    const [row] = await this.database.query<ExportRow>(sql`
      DELETE FROM contact_export WHERE id = ${id} AND table_id = ${tableId} RETURNING ${exportColumns}`);
    return row;
  }

  /** What ended long ago, with its file. Tells how many there were. */
  prune(most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM contact_export WHERE id = ANY (ARRAY(
        SELECT id FROM contact_export
        WHERE ended_at IS NOT NULL AND ended_at < now() - ${this.keptMs}::float8 * interval '1 ms'
        ORDER BY ended_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  /** Count and snapshot are of one moment. What will be refused anyway is not counted. */
  private survey({ id, tableId, filters }: NewExport): Promise<Count & { readonly snapshot: string }> {
    return atOneMoment(this.database, async (transaction, snapshot) => {
      await this.makeRoom(transaction, tableId, id);
      return { snapshot, ...(await countRows(transaction, tableId, filters)) };
    });
  }

  private async makeRoom(transaction: Statements, tableId: string, id: string): Promise<void> {
    const kept = await transaction.query<{ id: string; secondsLeft: number | null }>(sql`
      SELECT id, extract(epoch FROM ended_at + ${this.keptMs}::float8 * interval '1 ms' - now())::float8 AS "secondsLeft"
      FROM contact_export WHERE table_id = ${tableId} AND state <> 'failed'`);
    if (kept.length < mostExports || kept.some((other) => other.id === id)) return;
    const left = kept.flatMap(({ secondsLeft }) => secondsLeft ?? []);
    throw tooManyExports(mostExports, left.length > 0 ? Math.min(...left) : this.keptMs / 1_000);
  }
}

async function own(runner: Runner, tableId: string, id: string): Promise<ExportRow | undefined> {
  const [row] = await runner.query<ExportRow>(
    sql`SELECT ${exportColumns} FROM contact_export WHERE id = ${id} AND table_id = ${tableId}`,
  );
  return row;
}
