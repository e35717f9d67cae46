import { command, type Database, type Sql, sql, statement, t } from '@gangan/database';
import type { Registry, RegistryEntry } from './registry-entry.js';

/** Small enough not to block lookups. */
const batchSize = 10_000;

const tables: Readonly<Record<Registry, Sql>> = { ported: sql`ported_number`, dnd: sql`dnd_number` };
const eachTable = { samples: [[tables.ported, ''] as [Sql, string], [tables.dnd, ''] as [Sql, string]] };

const analyseTable = command((table: Sql) => sql`ANALYZE ${table}`, {
  samples: [[tables.ported], [tables.dnd]],
});

/** Updates the statistics, so that lookups use the index at once. */
export const analyseRegistry = (database: Database, registry: Registry): Promise<number> =>
  database.run(analyseTable, tables[registry]);

export const insertDnd = command(
  (importId: string, entries: readonly RegistryEntry[]) => sql`
    INSERT INTO dnd_number (phone, import_id)
    SELECT phone, ${importId}::uuid FROM unnest(${entries.map(({ phone }) => phone)}::text[]) AS given (phone)
    ON CONFLICT DO NOTHING`,
);

/** The last line about a number wins. */
export const insertPorted = command(
  (importId: string, entries: readonly RegistryEntry[]) => sql`
    INSERT INTO ported_number (phone, operator, import_id)
    SELECT phone, operator, ${importId}::uuid
    FROM unnest(${entries.map(({ phone }) => phone)}::text[], ${entries.map(({ operator = '' }) => operator)}::text[])
      AS given (phone, operator)
    ON CONFLICT (phone, import_id) DO UPDATE SET operator = excluded.operator`,
);

/** Numbers that lookups use now, and those of a loaded import. */
const countBoth = statement(
  { active: t.int, imported: t.int },
  (table: Sql, importId: string) => sql`
    SELECT
      (SELECT count(DISTINCT phone)::int FROM ${table} JOIN registry_import ON id = import_id WHERE state = 'active')
        AS active,
      (SELECT count(*)::int FROM ${table} WHERE import_id = ${importId}) AS imported`,
  eachTable,
);

export async function countNumbers(database: Database, registry: Registry, importId: string) {
  const [counts = { active: 0, imported: 0 }] = await database.run(countBoth, tables[registry], importId);
  return counts;
}

const deleteBatch = command(
  (table: Sql, importId: string) => sql`
    DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${table} WHERE import_id = ${importId} LIMIT ${batchSize}))`,
  eachTable,
);

const findUnused = statement(
  { id: t.uuid },
  (registry: Registry) => sql`
    SELECT id FROM registry_import
    WHERE registry = ${registry}::registry AND state IN ('superseded', 'failed') AND NOT cleared ORDER BY id`,
);

const markCleared = command((id: string) => sql`UPDATE registry_import SET cleared = true WHERE id = ${id}`);

/** A scan would read the rows deleted before again for each batch, so the index is forced. */
const indexOnly = ['SET LOCAL enable_seqscan = off', 'SET LOCAL enable_bitmapscan = off'];

/**
 * Removes the numbers of superseded and failed imports. The next run continues after an interruption.
 * @param onProgress called with the count so far
 */
export async function removeUnusedNumbers(
  database: Database,
  registry: Registry,
  onProgress: (removed: number) => void = () => undefined,
): Promise<void> {
  const unused = await database.run(findUnused, registry);
  let removed = 0;
  for (const { id } of unused) {
    for (let count = batchSize; count === batchSize;) {
      count = await database.transaction(
        (transaction) => transaction.run(deleteBatch, tables[registry], id),
        indexOnly,
      );
      if (count > 0) onProgress((removed += count));
    }
    await database.run(markCleared, id);
  }
}
