import {
  command,
  Database,
  ShorterRetention,
  Prisma,
  type RetentionLimits,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { parseDurations, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { uploadTimeoutMs } from '../imports/uploads.repository.js';

const firstId = '00000000-0000-0000-0000-000000000000';
const dayMs = 86_400_000;
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
    const limits = await ShorterRetention.find(
      this.database,
      'imports',
      Math.ceil(this.importsKeptMs / dayMs),
    );
    const deleted = [
      await this.database.run(deleteOld, deletable.uploads, uploadTimeoutMs, transferBatchSize),
      await this.database.run(deleteOld, deletable.imports, this.importsKeptMs, transferBatchSize),
      await this.database.run(deleteOld, deletable.exports, this.exportsKeptMs, transferBatchSize),
      limits ? await this.database.run(deleteImportsOf, limits, transferBatchSize) : 0,
    ];
    return deleted.includes(transferBatchSize);
  }

  @Periodic('pruning contact queries', 60_000)
  async pruneScrolls(): Promise<boolean> {
    return (await this.database.run(deleteOld, deletable.scrolls, 0, batchSize)) === batchSize;
  }

  @Periodic('summing contact tallies', 5_000)
  async sumTallies(): Promise<boolean> {
    const [rows] = await this.database.run(replaceTallies, tallies.rows, batchSize);
    const [bytes] = await this.database.run(replaceTallies, tallies.bytes, batchSize);
    return rows?.fresh === batchSize || bytes?.fresh === batchSize;
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

/** What is deleted: the rows of a table that meet a condition, by the age of a time column. */
const deletable = {
  uploads: ['contact_import', 'heard_at', "state = 'uploading'"],
  imports: ['contact_import', 'ended_at', 'ended_at IS NOT NULL'],
  exports: ['contact_export', 'ended_at', 'ended_at IS NOT NULL'],
  scrolls: ['contact_scroll', 'expires_at', 'true'],
} as const;

/** Deletes the oldest rows, in batches that do not wait for locked rows. */
const deleteOld = command(
  (what: readonly string[], ageMs: number, limit: number) => {
    const [table, time, condition] = what.map((name) => Prisma.raw(name));
    return sql`
      DELETE FROM ${table} WHERE id = ANY (ARRAY(
        SELECT id FROM ${table} WHERE ${condition} AND ${time} <= now() - ${ageMs}::float8 * interval '1 ms'
        ORDER BY ${time} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
  },
  { samples: Object.values(deletable).map((what): [readonly string[], number, number] => [what, 0, 1]) },
);

/** Imports of organisations that keep them for less time. */
const deleteImportsOf = command(
  (limits: RetentionLimits, limit: number) => sql`
    DELETE FROM contact_import WHERE id = ANY (ARRAY(
      SELECT found.id FROM ${ShorterRetention.table(limits)}
      CROSS JOIN LATERAL (SELECT id FROM contact_table
        WHERE organisation_id = kept.organisation_id LIMIT 1) AS owner
      CROSS JOIN LATERAL (
        SELECT id FROM contact_import WHERE table_id = owner.id AND id < kept.before_id AND ended_at < kept.before
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS found
      LIMIT ${limit}))`,
  { samples: [[ShorterRetention.sample, 1]] },
);

const tallies = { rows: sql`contact_tally`, bytes: sql`contact_size_tally` };

/** Replaces the tallies of each changed table by their sum. */
const replaceTallies = statement(
  { fresh: t.int },
  (tally: Sql, limit: number) => sql`
    WITH fresh AS MATERIALIZED (SELECT table_id FROM ${tally} WHERE NOT summed ORDER BY id LIMIT ${limit}),
    taken AS (
      DELETE FROM ${tally} WHERE id = ANY (ARRAY(
        SELECT known.id FROM (SELECT DISTINCT table_id FROM fresh) AS changed
        CROSS JOIN LATERAL (
          SELECT id FROM ${tally} WHERE table_id = changed.table_id FOR UPDATE SKIP LOCKED) AS known))
      RETURNING table_id, delta),
    sums AS (
      INSERT INTO ${tally} (table_id, delta, summed)
      SELECT table_id, sum(delta), true FROM taken GROUP BY table_id)
    SELECT count(*)::int AS fresh FROM fresh`,
  {
    samples: [
      [tallies.rows, 1],
      [tallies.bytes, 1],
    ],
  },
);

/**
 * After a minute, when requests that checked cells against the column have written them. Not a model call: it runs every
 * minute, and an idle worker should not load the Prisma client.
 */
const findRemovedColumn = statement(
  { id: t.uuid, tableId: t.uuid },
  () => sql`
    SELECT id, table_id AS "tableId" FROM contact_column
    WHERE removed_at < now() - interval '1 minute' ORDER BY removed_at LIMIT 1`,
);

const clearRows = command(
  (tableId: string, columnId: string, ids: readonly string[]) => sql`
    UPDATE contact_row SET cells = cells - ${columnId}::text, matched = matched - ${columnId}::text
    WHERE table_id = ${tableId} AND id = ANY (${ids}::uuid[]) AND cells ? ${columnId}::text`,
);
