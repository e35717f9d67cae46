import { type Database, type Sql, sql } from '@gangan/database';
import type { Registry } from './registry-line.js';

/** A portion short enough to hold nobody up. */
const atOnce = 10_000;

const tables: Readonly<Record<Registry, Sql>> = { ported: sql`ported_number`, dnd: sql`dnd_number` };

/** So that look-ups go by the index from the first moment, though they were planned when there was next to nothing. */
export async function analyse(database: Database, registry: Registry): Promise<void> {
  await database.execute(sql`ANALYZE ${tables[registry]}`);
}

/** Removes the numbers of imports that serve nobody any more; a run that is cut off leaves the rest to the next. */
export async function removeUnused(database: Database, registry: Registry): Promise<void> {
  const table = tables[registry];
  for (let removed = atOnce; removed === atOnce;) {
    removed = await database.execute(sql`
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT number.ctid FROM registry_import AS i
        CROSS JOIN LATERAL (SELECT ctid FROM ${table} WHERE import_id = i.id LIMIT ${atOnce}) AS number
        WHERE i.registry = ${registry}::registry AND i.state IN ('superseded', 'failed') LIMIT ${atOnce}))`);
  }
}
