import { command, Database, Prisma, type RowOf, sql, statement, t } from '@gangan/database';
import { type Lease, LeaseHolder, LeaseLostError } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import type { FilterNode } from '../filters/filter.js';
import {
  forceAccessPath,
  isRare,
  matchingRows,
  type RowRange,
  type RowSearch,
  sampleSearches,
} from '../query/row-search.js';
import { Quotas } from '../quotas.js';
import type { Row } from '../rows/row.js';
import type { Column } from '../tables/table.js';
import { type ClaimedTransfer, progressed, TransferLease } from '../transfers/transfer-lease.js';

/** What a slice needs to continue an export. */
export type ExportProgress = RowOf<typeof findProgress>;

/** A portion of rows that are read and written together: at most this many rows and about this many bytes. */
export interface PortionSize {
  readonly rows: number;
  readonly bytes: number;
}

/** The next chunks of the file, each stored as a part. */
export interface Portion {
  readonly chunks: readonly string[];
  readonly rows: number;
  readonly lastId: string;
}

/** A row may have megabytes, which shows only once it is read. So at first few rows are fetched. */
const firstFetch = 5;
const maxFetch = 20;

@Injectable()
export class ExportProgressRepository {
  readonly lease: TransferLease;

  constructor(
    private readonly database: Database,
    private readonly quotas: Quotas,
    holder: LeaseHolder,
  ) {
    this.lease = new TransferLease(database, 'export', holder);
  }

  /** @throws LeaseLostError */
  async read({ id, attempt }: ClaimedTransfer): Promise<ExportProgress> {
    const [progress] = await this.database.run(findProgress, id, attempt);
    if (!progress) throw new LeaseLostError();
    return progress;
  }

  /** The next rows, and whether they are the last. */
  readRows(
    { tableId }: ClaimedTransfer,
    { filters, snapshot, rowsTotal }: ExportProgress,
    after: string | null,
    size: PortionSize,
  ): Promise<{ rows: Row[]; ended: boolean }> {
    const rare = isRare({ total: rowsTotal ?? 0, bounded: rowsTotal === null }, filters);
    const range = { after: after ?? undefined, limit: size.rows + 1, rare };
    return this.database.transaction(async (transaction) => {
      await transaction.run(forceAccessPath, rare);
      await transaction.run(openCursor, { tableId, filters, snapshot }, range);
      const rows: Row[] = [];
      let bytes = 0;
      for (let step = firstFetch; rows.length < size.rows && bytes < size.bytes; step = maxFetch) {
        const wanted = Math.min(step, size.rows - rows.length);
        // Not a declared statement: Postgres cannot check it before the cursor exists.
        const fetched = await transaction.query<Row>(sql`FETCH ${Prisma.raw(String(wanted))} FROM portion`);
        rows.push(...fetched);
        bytes += fetched.reduce((sum, { cells }) => sum + countBytes(cells), 0);
        if (fetched.length < wanted) return { rows, ended: true };
      }
      return { rows, ended: false };
    });
  }

  /** Writes a portion of the file and the new position in one transaction. @throws LeaseLostError, AppError 403 if a quota is exceeded */
  async advance(claimed: ClaimedTransfer, { chunks, rows, lastId }: Portion): Promise<void> {
    const parts = chunks.map((chunk) => Buffer.from(chunk));
    await this.database.transaction(async (transaction) => {
      await this.lease.confirm(transaction, claimed);
      await transaction.run(insertParts, claimed.id, parts);
      await transaction.run(writeProgress, claimed.id, this.lease.own, parts, rows, lastId);
      await this.quotas.requireCounted(transaction, claimed.tableId);
    });
  }

  /** @throws LeaseLostError */
  finish(claimed: ClaimedTransfer): Promise<void> {
    return this.lease.finish(this.database, claimed);
  }
}

const countBytes = (cells: Row['cells']): number =>
  Object.values(cells).reduce((sum, cell) => sum + Buffer.byteLength(cell), 0);

const findProgress = statement(
  {
    filters: t.json<readonly FilterNode[]>(),
    columns: t.json<readonly Column[]>(),
    snapshot: t.text,
    lastId: t.nullable(t.uuid),
    rowsTotal: t.nullable(t.int),
  },
  (id: string, attempt: number) => sql`
    SELECT filters, columns, snapshot::text, last_id AS "lastId", rows_total AS "rowsTotal"
    FROM contact_export WHERE id = ${id} AND attempt = ${attempt} AND state::text = 'running'`,
);

const openCursor = command(
  (search: RowSearch, range: RowRange) =>
    sql`DECLARE portion NO SCROLL CURSOR FOR ${matchingRows(search, range)}`,
  { samples: sampleSearches },
);

const insertParts = command(
  (id: string, parts: readonly Buffer[]) => sql`
    INSERT INTO contact_export_part (export_id, number, data)
    SELECT id, parts + position - 1, data
    FROM contact_export, unnest(${parts}::bytea[]) WITH ORDINALITY AS each (data, position) WHERE id = ${id}`,
);

const writeProgress = command(
  (id: string, own: Lease, parts: readonly Buffer[], rows: number, lastId: string) => sql`
    UPDATE contact_export SET parts = parts + ${parts.length}::int,
      bytes = bytes + ${parts.reduce((sum, { length }) => sum + length, 0)}::int,
      rows = rows + ${rows}::int, last_id = ${lastId}::uuid, ${progressed(own)}
    WHERE id = ${id}`,
);
