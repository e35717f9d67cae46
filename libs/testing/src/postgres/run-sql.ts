import { withClient } from '@gangan/embedded-postgres';

/** Runs SQL on a connection of its own, as the user of the URL, and returns the rows of the last statement. */
export async function runSql<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const results = await withClient(url, (client) => client.query<Row>(sql));
  return [results].flat().at(-1)?.rows ?? [];
}
