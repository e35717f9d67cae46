import { Database, sql, type Statements, unavailableWhenAway, unknownWhenLost } from '@gangan/database';
import { afterAllIds } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { dueNow } from '../transfers/leases.js';
import type { Header } from './header.js';
import { importColumns, type ImportRow } from './import-row.js';
import { missingPart, noSuchImport, tooManyImports } from './imports.errors.js';

/** Under way at a time, per table: what waits fills the database. */
export const mostUnfinished = 10;

export interface NewImport extends Header {
  readonly delimiter: string;
  readonly createdAt: Date;
}

export interface Part {
  readonly id: string;
  readonly tableId: string;
  readonly begins: number;
  readonly data: Buffer;
  readonly last: boolean;
}

@Injectable()
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  /** Makes the import of its first part; one that is there already stays as it is. */
  begin(part: Part, wish: NewImport): Promise<ImportRow> {
    return this.adding(part, async (transaction) => {
      const { id, tableId, data, last } = part;
      const { columns, upsertColumnId = null, end, delimiter, createdAt } = wish;
      const unfinished = await transaction.query<{ id: string }>(sql`
        SELECT id FROM contact_import
        WHERE table_id = ${tableId} AND state IN ('uploading', 'queued', 'running') LIMIT ${mostUnfinished}`);
      if (unfinished.length === mostUnfinished && !unfinished.some((other) => other.id === id)) {
        throw tooManyImports(mostUnfinished);
      }
      return transaction.execute(sql`
        INSERT INTO contact_import (id, table_id, delimiter, columns, upsert_column_id, bytes, taken, line, created_at,
          state, next_attempt_at)
        VALUES (${id}, ${tableId}, ${delimiter}, ${columns}::uuid[], ${upsertColumnId}::uuid, ${data.length},
          ${end.bytes}, ${end.line}, ${createdAt}, ${last ? 'queued' : 'uploading'}::contact_transfer_state,
          CASE WHEN ${last} THEN ${dueNow} END)
        ON CONFLICT DO NOTHING`);
    });
  }

  /** Parts come in their order; one that is there already stays as it is. */
  goOn(part: Part): Promise<ImportRow> {
    return this.adding(part, (transaction) => {
      const { id, tableId, begins, data, last } = part;
      return transaction.execute(sql`
        UPDATE contact_import SET bytes = bytes + ${data.length}, heard_at = now(),
          state = ${last ? 'queued' : 'uploading'}::contact_transfer_state, next_attempt_at = CASE WHEN ${last} THEN ${dueNow} END
        WHERE id = ${id} AND table_id = ${tableId} AND state = 'uploading' AND bytes = ${begins}`);
    });
  }

  async find(tableId: string, id: string): Promise<ImportRow | undefined> {
    try {
      return await own(this.database, tableId, id);
    } catch (error) {
      throw unavailableWhenAway(error) as Error;
    }
  }

  /** Newest first. */
  async list(tableId: string, before: string | undefined, limit: number): Promise<ImportRow[]> {
    try {
      return await this.database.query<ImportRow>(sql`
        SELECT ${importColumns} FROM contact_import
        WHERE table_id = ${tableId} AND id < ${before ?? afterAllIds}::uuid ORDER BY id DESC LIMIT ${limit}`);
    } catch (error) {
      throw unavailableWhenAway(error) as Error;
    }
  }

  /** Files that stopped arriving, and what ended long ago. Tells how many there were. */
  async prune(idleMs: number, keptMs: number, most: number): Promise<number> {
    const forgotten = await this.database.execute(sql`
      DELETE FROM contact_import WHERE id = ANY (ARRAY(
        SELECT id FROM contact_import
        WHERE state = 'uploading' AND heard_at < now() - ${idleMs}::float8 * interval '1 ms'
        ORDER BY heard_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
    const ended = await this.database.execute(sql`
      DELETE FROM contact_import WHERE id = ANY (ARRAY(
        SELECT id FROM contact_import
        WHERE ended_at IS NOT NULL AND ended_at < now() - ${keptMs}::float8 * interval '1 ms'
        ORDER BY ended_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
    return Math.max(forgotten, ended);
  }

  private async adding(part: Part, add: (transaction: Statements) => Promise<number>): Promise<ImportRow> {
    const { id, tableId, begins, data } = part;
    try {
      return await this.database.transaction(async (transaction) => {
        if ((await add(transaction)) > 0 && data.length > 0) {
          await transaction.execute(sql`
            INSERT INTO contact_import_part (import_id, begins, data) VALUES (${id}, ${begins}, ${data})`);
        }
        const row = await own(transaction, tableId, id);
        if (!row) throw noSuchImport();
        if (row.bytes < BigInt(begins + data.length)) throw missingPart();
        return row;
      });
    } catch (error) {
      throw unknownWhenLost(error) as Error;
    }
  }
}

async function own(
  runner: Pick<Statements, 'query'>,
  tableId: string,
  id: string,
): Promise<ImportRow | undefined> {
  const [row] = await runner.query<ImportRow>(
    sql`SELECT ${importColumns} FROM contact_import WHERE id = ${id} AND table_id = ${tableId}`,
  );
  return row;
}
