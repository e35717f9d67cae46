import { type Database, Prisma, sql } from '@gangan/database';

export interface FoundRow {
  /** What was searched for; bytes in hexadecimal digits. */
  readonly text: string;
  readonly table: string;
}

/** The tables that contain these values: texts as they are, in hexadecimal digits or in base64, and bytes as stored. */
export async function rowsWith(
  database: Database,
  values: readonly (string | Buffer)[],
): Promise<FoundRow[]> {
  const forms = values.flatMap(formsOf);
  const tables = await database.query<{ name: string }>(sql`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
  const found: FoundRow[] = [];
  // Sequentially: there are many tables and few connections.
  for (const { name } of tables) {
    const rows = await database.query<{ text: string }>(sql`
      SELECT DISTINCT given.text
      FROM (SELECT row::text AS line FROM ${Prisma.raw(name)} AS row OFFSET 0) stored
      JOIN unnest(${forms.map(({ text }) => text)}::text[], ${forms.map(({ form }) => form)}::text[]) AS given (text, form)
        ON strpos(line, given.form) > 0`);
    found.push(...rows.map(({ text }) => ({ text, table: name })));
  }
  return found;
}

function formsOf(value: string | Buffer): { readonly text: string; readonly form: string }[] {
  const hex = Buffer.from(value).toString('hex');
  if (Buffer.isBuffer(value)) return [{ text: hex, form: hex }];
  const base64 = Buffer.from(value).toString('base64').replaceAll('=', '').slice(0, -1);
  return [value, hex, base64].map((form) => ({ text: value, form }));
}
