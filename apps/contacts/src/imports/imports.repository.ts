import { Database, sql, type Statements } from '@gangan/database';
import { maxId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { reading } from '../reading.js';
import type { Runner } from '../runner.js';
import { importColumns, type ImportRow } from './import-row.js';
import { missingPart, noSuchImport } from './imports.errors.js';
import { append, make, type NewImport, type Part, uploadPatience } from './take-part.js';

@Injectable()
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  /** Makes the import of its first part, unless it is there already. */
  begin(part: Part, wish: NewImport): Promise<ImportRow> {
    return this.adding(part, async (transaction) => {
      if (!(await make(transaction, part, wish))) await append(transaction, part);
    });
  }

  /** Parts come in their order. */
  goOn(part: Part): Promise<ImportRow> {
    return this.adding(part, (transaction) => append(transaction, part));
  }

  /** Nothing more of the file will come, unless whoever sends it begins again. */
  async abandon(tableId: string, id: string): Promise<void> {
    await this.database.execute(sql`
      UPDATE contact_import SET heard_at = now() - ${uploadPatience}
      WHERE id = ${id} AND table_id = ${tableId} AND state = 'uploading'`);
  }

  find(tableId: string, id: string): Promise<ImportRow | undefined> {
    return reading(own(this.database, tableId, id));
  }

  /** Newest first. */
  list(tableId: string, before: string | undefined, limit: number): Promise<ImportRow[]> {
    return reading(
      this.database.query<ImportRow>(sql`
        SELECT ${importColumns} FROM contact_import
        WHERE table_id = ${tableId} AND id < ${before ?? maxId}::uuid ORDER BY id DESC LIMIT ${limit}`),
    );
  }

  /** Files that stopped arriving, and what ended long ago. Tells how many there were. */
  async prune(keptMs: number, most: number): Promise<number> {
    const forgotten = await this.database.execute(sql`
      DELETE FROM contact_import WHERE id = ANY (ARRAY(
        SELECT id FROM contact_import
        WHERE state = 'uploading' AND heard_at <= now() - ${uploadPatience}
        ORDER BY heard_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
    const ended = await this.database.execute(sql`
      DELETE FROM contact_import WHERE id = ANY (ARRAY(
        SELECT id FROM contact_import
        WHERE ended_at IS NOT NULL AND ended_at < now() - ${keptMs}::float8 * interval '1 ms'
        ORDER BY ended_at LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
    return Math.max(forgotten, ended);
  }

  private adding(
    { id, tableId, begins, data }: Part,
    add: (transaction: Statements) => Promise<void>,
  ): Promise<ImportRow> {
    return this.database.transaction(async (transaction) => {
      await add(transaction);
      const row = await own(transaction, tableId, id);
      if (!row) throw noSuchImport();
      if (row.bytes < BigInt(begins + data.length)) throw missingPart();
      return row;
    });
  }
}

async function own(runner: Runner, tableId: string, id: string): Promise<ImportRow | undefined> {
  const [row] = await runner.query<ImportRow>(
    sql`SELECT ${importColumns} FROM contact_import WHERE id = ${id} AND table_id = ${tableId}`,
  );
  return row;
}
