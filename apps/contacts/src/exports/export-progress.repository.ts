import { Database, sql } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import type { Filter } from '../filters/filter.js';
import { isRare, matchingRows } from '../query/row-search.js';
import type { Row } from '../rows/row.js';
import type { Column } from '../tables/column.js';
import type { Held } from '../transfers/held.js';
import { Leases, renewed, stillHeld } from '../transfers/leases.js';
import { type Portion, readPortion } from './read-portion.js';

/** What a worker has to know to go on. */
export interface ExportProgress {
  readonly filters: readonly Filter[];
  readonly columns: readonly Column[];
  readonly snapshot: string;
  readonly lastId: string | null;
  readonly rowsTotal: number | null;
}

/** What goes into the file next, with how many rows that is, and the last of them. */
export interface Piece {
  /** Each is a part of its own. */
  readonly texts: readonly string[];
  readonly rows: number;
  readonly lastId: string;
}

@Injectable()
export class ExportProgressRepository {
  readonly leases: Leases;

  constructor(private readonly database: Database) {
    this.leases = new Leases(database, 'export');
  }

  /** @throws LeaseLostError */
  async read(held: Held): Promise<ExportProgress> {
    const [row] = await this.database.query<ExportProgress>(sql`
      SELECT filters, columns, snapshot::text, last_id AS "lastId", rows_total AS "rowsTotal"
      FROM contact_export WHERE ${stillHeld(held)}`);
    if (!row) throw new LeaseLostError();
    return row;
  }

  /** What comes next, and whether nothing follows. */
  rows(
    held: Held,
    progress: ExportProgress,
    after: string | null,
    portion: Portion,
  ): Promise<{ rows: Row[]; ended: boolean }> {
    const { filters, snapshot, rowsTotal } = progress;
    const rare = isRare({ total: rowsTotal ?? 0, bounded: rowsTotal === null }, filters);
    return this.database.transaction(async (transaction) => {
      const search = { tableId: held.tableId, filters, snapshot };
      const page = { after: after ?? undefined, upTo: undefined, skip: 0, limit: portion.rows + 1, rare };
      return readPortion(transaction, await matchingRows(transaction, search, page), portion);
    });
  }

  /** A piece of the file and how far it is, both or neither. @throws LeaseLostError */
  async advance(held: Held, { texts, rows, lastId }: Piece): Promise<void> {
    const parts = texts.map((text) => Buffer.from(text));
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    await this.database.transaction(async (transaction) => {
      await this.leases.confirm(transaction, held);
      await transaction.execute(sql`
        INSERT INTO contact_export_part (export_id, number, data)
        SELECT id, parts + place - 1, data
        FROM contact_export, unnest(${parts}::bytea[]) WITH ORDINALITY AS each (data, place) WHERE id = ${held.id}`);
      await transaction.execute(sql`
        UPDATE contact_export SET parts = parts + ${parts.length}::int, bytes = bytes + ${bytes}::int,
          rows = rows + ${rows}::int, last_id = ${lastId}::uuid, ${renewed}
        WHERE id = ${held.id}`);
    });
  }

  /** @throws LeaseLostError */
  async finish(held: Held): Promise<void> {
    const done = await this.database.execute(sql`
      UPDATE contact_export SET state = 'done', next_attempt_at = NULL, ended_at = now() WHERE ${stillHeld(held)}`);
    if (done === 0) throw new LeaseLostError();
  }
}
