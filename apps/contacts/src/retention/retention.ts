import { command, Database, int, Prisma, type RowOf, sql, statement, uuid } from '@gangan/database';
import { parseDurations, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { uploadTimeoutMs } from '../imports/uploads.repository.js';

const firstId = '00000000-0000-0000-0000-000000000000';
const batchSize = 500;
/** Each import or export may have a large file. */
const transferBatchSize = 5;

/** Deletes what is no longer needed. A task returns true to run again at once. */
@Injectable()
export class Retention {
  private readonly importsKeptMs: number;
  private readonly exportsKeptMs: number;
  private clearing: { readonly column: RowOf<typeof findRemovedColumn>; readonly after: string } | undefined;

  constructor(
    private readonly database: Database,
    { CONTACT_IMPORT_KEPT_FOR: imports, CONTACT_EXPORT_KEPT_FOR: exports }: ContactsConfig,
  ) {
    [this.importsKeptMs = 0] = parseDurations(imports) ?? [];
    [this.exportsKeptMs = 0] = parseDurations(exports) ?? [];
  }

  @Periodic('pruning imports and exports', 60_000)
  async pruneTransfers(): Promise<boolean> {
    const deleted = [
      await this.database.run(deleteAbandonedUploads, transferBatchSize),
      await this.database.run(deleteEndedImports, this.importsKeptMs, transferBatchSize),
      await this.database.run(deleteEndedExports, this.exportsKeptMs, transferBatchSize),
    ];
    return deleted.includes(transferBatchSize);
  }

  @Periodic('pruning contact queries', 60_000)
  async pruneScrolls(): Promise<boolean> {
    return (await this.database.run(deleteExpiredScrolls, batchSize)) === batchSize;
  }

  @Periodic('summing contact tallies', 5_000)
  async sumTallies(): Promise<boolean> {
    const [found] = await this.database.run(replaceTallies, batchSize);
    return found?.fresh === batchSize;
  }

  /** One column after the other. The position is kept in memory only: starting again does no harm. */
  @Periodic('clearing cells of removed columns', 60_000)
  async clearCells(): Promise<boolean> {
    const { column = (await this.database.run(findRemovedColumn))[0], after = firstId } = this.clearing ?? {};
    if (!column) return false;
    const { id, tableId } = column;
    const rows = await this.database.contactRow.findMany({
      where: { tableId, id: { gt: after } },
      select: { id: true },
      orderBy: { id: 'asc' },
      take: batchSize,
    });
    const ids = rows.map((row) => row.id);
    await this.database.run(clearRows, tableId, id, ids);
    const last = ids[batchSize - 1];
    this.clearing = last === undefined ? undefined : { column, after: last };
    if (last === undefined)
      await this.database.contactColumn.deleteMany({ where: { id, removedAt: { not: null } } });
    return true;
  }
}

/** Deletes the rows that are oldest by a time column, in batches that do not wait for locked rows. */
const deleteOlder = (table: string, time: string, ageMs: number, limit: number, condition = 'true') => {
  const [rows, column] = [Prisma.raw(table), Prisma.raw(time)];
  return sql`
    DELETE FROM ${rows} WHERE id = ANY (ARRAY(
      SELECT id FROM ${rows} WHERE ${Prisma.raw(condition)} AND ${column} <= now() - ${ageMs}::float8 * interval '1 ms'
      ORDER BY ${column} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
};

const deleteAbandonedUploads = command((limit: number) =>
  deleteOlder('contact_import', 'heard_at', uploadTimeoutMs, limit, "state = 'uploading'"),
);

const deleteEndedImports = command((keptMs: number, limit: number) =>
  deleteOlder('contact_import', 'ended_at', keptMs, limit, 'ended_at IS NOT NULL'),
);

const deleteEndedExports = command((keptMs: number, limit: number) =>
  deleteOlder('contact_export', 'ended_at', keptMs, limit, 'ended_at IS NOT NULL'),
);

const deleteExpiredScrolls = command((limit: number) =>
  deleteOlder('contact_scroll', 'expires_at', 0, limit),
);

/** Replaces the tallies of each changed table by their sum. */
const replaceTallies = statement(
  { fresh: int },
  (limit: number) => sql`
    WITH fresh AS MATERIALIZED (SELECT table_id FROM contact_tally WHERE NOT summed ORDER BY id LIMIT ${limit}),
    taken AS (
      DELETE FROM contact_tally WHERE id = ANY (ARRAY(
        SELECT known.id FROM (SELECT DISTINCT table_id FROM fresh) AS changed
        CROSS JOIN LATERAL (
          SELECT id FROM contact_tally WHERE table_id = changed.table_id FOR UPDATE SKIP LOCKED) AS known))
      RETURNING table_id, delta),
    sums AS (
      INSERT INTO contact_tally (table_id, delta, summed)
      SELECT table_id, sum(delta), true FROM taken GROUP BY table_id)
    SELECT count(*)::int AS fresh FROM fresh`,
);

/**
 * After a minute, when requests that checked cells against the column have written them. Not a model call: it runs every
 * minute, and an idle worker should not load the Prisma client.
 */
const findRemovedColumn = statement(
  { id: uuid, tableId: uuid },
  () => sql`
    SELECT id, table_id AS "tableId" FROM contact_column
    WHERE removed_at < now() - interval '1 minute' ORDER BY removed_at LIMIT 1`,
);

const clearRows = command(
  (tableId: string, columnId: string, ids: readonly string[]) => sql`
    UPDATE contact_row SET cells = cells - ${columnId}::text, matched = matched - ${columnId}::text
    WHERE table_id = ${tableId} AND id = ANY (${ids}::uuid[]) AND cells ? ${columnId}::text`,
);
