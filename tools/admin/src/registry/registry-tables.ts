import { type Database, type Sql, sql } from '@gangan/database';
import type { Registry } from './registry-line.js';

/** A portion short enough to hold nobody up. */
const atOnce = 10_000;

const tables: Readonly<Record<Registry, Sql>> = { ported: sql`ported_number`, dnd: sql`dnd_number` };

/** So that look-ups go by the index from the first moment, though they were planned when there was next to nothing. */
export async function analyse(database: Database, registry: Registry): Promise<void> {
  await database.execute(sql`ANALYZE ${tables[registry]}`);
}

/** Exactly: a number that several imports know is one. */
export const countServed = (database: Database, registry: Registry): Promise<number> =>
  count(
    database,
    sql`
    SELECT count(DISTINCT phone)::integer AS count FROM ${tables[registry]} JOIN registry_import ON id = import_id
    WHERE state = 'active'`,
  );

export const countImported = (database: Database, registry: Registry, importId: string): Promise<number> =>
  count(
    database,
    sql`
    SELECT count(*)::integer AS count FROM ${tables[registry]} WHERE import_id = ${importId}`,
  );

async function count(database: Database, statement: Sql): Promise<number> {
  const [row] = await database.query<{ count: number }>(statement);
  return row?.count ?? 0;
}

/**
 * Removes the numbers of imports that serve nobody any more, import by import; a run that is cut off leaves the rest to
 * the next. `told` hears how many are gone so far.
 */
export async function removeUnused(
  database: Database,
  registry: Registry,
  told: (removed: number) => void = () => undefined,
): Promise<void> {
  const unused = await database.query<{ id: string }>(sql`
    SELECT id FROM registry_import
    WHERE registry = ${registry}::registry AND state IN ('superseded', 'failed') AND NOT cleared ORDER BY id`);
  let removed = 0;
  for (const { id } of unused) {
    for (let portion = atOnce; portion === atOnce;) {
      portion = await removePortion(database, tables[registry], id);
      if (portion > 0) told((removed += portion));
    }
    await database.execute(sql`UPDATE registry_import SET cleared = true WHERE id = ${id}`);
  }
}

/** By the index, whatever looks cheaper: a scan would pass all that was removed before, portion by portion. */
function removePortion(database: Database, table: Sql, importId: string): Promise<number> {
  return database.transaction(async (transaction) => {
    await transaction.execute(sql`SET LOCAL enable_seqscan = off`);
    await transaction.execute(sql`SET LOCAL enable_bitmapscan = off`);
    return transaction.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE import_id = ${importId} LIMIT ${atOnce}))`);
  });
}
