import type { Database, Sql } from '@gangan/database';

/** Returns the column `value` of the only row. */
export async function readValue<T>(database: Database, statement: Sql): Promise<T> {
  const [row] = await database.query<{ value: T }>(statement);
  if (!row) throw new Error('The statement returned no row');
  return row.value;
}
