import { Database, sql, unavailableWhenAway, unknownWhenLost } from '@gangan/database';
import { afterAllIds } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import type { Filter } from '../query/filter.js';
import { countRows } from '../query/row-search.js';
import { dueNow } from '../transfers/leases.js';
import type { Column } from '../tables/column.js';
import { headerText } from './csv-text.js';
import { exportColumns, type ExportRow } from './export-row.js';
import { tooManyExports } from './exports.errors.js';

/** Kept at a time, per table: their files fill the database. */
export const mostExports = 20;

export interface NewExport {
  readonly id: string;
  readonly tableId: string;
  readonly filters: readonly Filter[];
  readonly columns: readonly Column[];
  readonly createdAt: Date;
}

@Injectable()
export class ExportsRepository {
  constructor(private readonly database: Database) {}

  /** Count and snapshot are of one moment. An export that is there already stays as it is. */
  async create({ id, tableId, filters, columns, createdAt }: NewExport): Promise<ExportRow | undefined> {
    try {
      return await this.database.transaction(async (transaction) => {
        await transaction.execute(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`);
        const kept = await transaction.query<{ id: string }>(
          sql`SELECT id FROM contact_export WHERE table_id = ${tableId} ORDER BY id DESC LIMIT ${mostExports}`,
        );
        if (kept.length === mostExports && !kept.some((other) => other.id === id))
          throw tooManyExports(mostExports);
        const [now] = await transaction.query<{ snapshot: string }>(
          sql`SELECT pg_current_snapshot()::text AS snapshot`,
        );
        const snapshot = now?.snapshot ?? '';
        const { total, bounded } = await countRows(transaction, { tableId, filters, snapshot });
        const header = Buffer.from(headerText(columns));
        await transaction.execute(sql`
          WITH made AS (
            INSERT INTO contact_export (id, table_id, filters, columns, snapshot, rows_total, parts, bytes, created_at,
              next_attempt_at)
            VALUES (${id}, ${tableId}, ${JSON.stringify(filters)}::jsonb, ${JSON.stringify(columns)}::jsonb,
              ${snapshot}::pg_snapshot, ${bounded ? null : total}::int, 1, ${header.length}, ${createdAt}, ${dueNow})
            ON CONFLICT DO NOTHING RETURNING id)
          INSERT INTO contact_export_part (export_id, number, data) SELECT id, 0, ${header}::bytea FROM made`);
        const [row] = await transaction.query<ExportRow>(
          sql`SELECT ${exportColumns} FROM contact_export WHERE id = ${id} AND table_id = ${tableId}`,
        );
        return row;
      });
    } catch (error) {
      throw unknownWhenLost(error) as Error;
    }
  }

  async find(tableId: string, id: string): Promise<ExportRow | undefined> {
    const [row] = await this.reading<ExportRow>(
      sql`SELECT ${exportColumns} FROM contact_export WHERE id = ${id} AND table_id = ${tableId}`,
    );
    return row;
  }

  /** Newest first. */
  list(tableId: string, before: string | undefined, limit: number): Promise<ExportRow[]> {
    return this.reading<ExportRow>(sql`
      SELECT ${exportColumns} FROM contact_export
      WHERE table_id = ${tableId} AND id < ${before ?? afterAllIds}::uuid ORDER BY id DESC LIMIT ${limit}`);
  }

  async part(id: string, number: number): Promise<Buffer | undefined> {
    const [part] = await this.reading<{ data: Buffer }>(
      sql`SELECT data FROM contact_export_part WHERE export_id = ${id} AND number = ${number}`,
    );
    return part?.data;
  }

  /** What ended long ago, with its file. Tells how many there were. */
  prune(keptMs: number, most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM contact_export WHERE id = ANY (ARRAY(
        SELECT id FROM contact_export
        WHERE ended_at IS NOT NULL AND ended_at < now() - ${keptMs}::float8 * interval '1 ms'
        ORDER BY ended_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  private async reading<Row extends object>(statement: ReturnType<typeof sql>): Promise<Row[]> {
    try {
      return await this.database.query<Row>(statement);
    } catch (error) {
      throw unavailableWhenAway(error) as Error;
    }
  }
}
