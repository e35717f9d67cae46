import { command, Database, int, Prisma, type RowOf, sql, statement, uuid } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { uploadTimeoutMs } from '../imports/uploads.repository.js';

export type RemovedColumn = RowOf<typeof selectRemovedColumn>;

/** Requests that checked cells against a column before it was removed have written them by then. */
const removalGrace = sql`interval '1 minute'`;

@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Deletes imports that ended before `keptMs`, and abandoned uploads. Returns whether there may be more. */
  async pruneImports(keptMs: number, limit: number): Promise<boolean> {
    const abandoned = await this.database.run(deleteAbandonedUploads, uploadTimeoutMs, limit);
    return (await this.database.run(deleteEndedImports, keptMs, limit)) === limit || abandoned === limit;
  }

  async pruneExports(keptMs: number, limit: number): Promise<boolean> {
    return (await this.database.run(deleteEndedExports, keptMs, limit)) === limit;
  }

  async pruneScrolls(limit: number): Promise<boolean> {
    return (await this.database.run(deleteExpiredScrolls, limit)) === limit;
  }

  /** Replaces the tallies of each changed table by their sum. Returns whether there may be more. */
  async sumTallies(limit: number): Promise<boolean> {
    const [found] = await this.database.run(replaceTallies, limit);
    return found?.fresh === limit;
  }

  async findRemovedColumn(): Promise<RemovedColumn | undefined> {
    return (await this.database.run(selectRemovedColumn))[0];
  }

  /** Clears the column's cells in some rows after an id. Returns the id to continue from, if there are more rows. */
  async clearCells(
    { id, tableId }: RemovedColumn,
    after: string,
    limit: number,
  ): Promise<string | undefined> {
    const where = { tableId, id: { gt: after } };
    const rows = await this.database.contactRow.findMany({
      where,
      select: { id: true },
      orderBy: { id: 'asc' },
      take: limit,
    });
    const ids = rows.map((row) => row.id);
    await this.database.run(clearRows, tableId, id, ids);
    return rows.length < limit ? undefined : ids.at(-1);
  }

  async deleteColumn({ id }: RemovedColumn): Promise<void> {
    await this.database.contactColumn.deleteMany({ where: { id, removedAt: { not: null } } });
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

const deleteAbandonedUploads = command((timeoutMs: number, limit: number) =>
  deleteOlder('contact_import', 'heard_at', timeoutMs, limit, "state = 'uploading'"),
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

/** Not a model call: it runs every minute, and an idle worker should not load the Prisma client. */
const selectRemovedColumn = statement(
  { id: uuid, tableId: uuid },
  () => sql`
    SELECT id, table_id AS "tableId" FROM contact_column
    WHERE removed_at < now() - ${removalGrace} ORDER BY removed_at LIMIT 1`,
);

const clearRows = command(
  (tableId: string, columnId: string, ids: readonly string[]) => sql`
    UPDATE contact_row SET cells = cells - ${columnId}::text, matched = matched - ${columnId}::text
    WHERE table_id = ${tableId} AND id = ANY (${ids}::uuid[]) AND cells ? ${columnId}::text`,
);
