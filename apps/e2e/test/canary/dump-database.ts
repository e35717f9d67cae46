import { type Database, Prisma, sql } from '@gangan/database';

/** Every row of every table, as text. */
export async function dumpDatabase(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(sql`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
  const dump: string[] = [];
  // Sequentially: there are many tables and few connections.
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(
      Prisma.raw(`SELECT row::text AS row FROM ${name} AS row`),
    );
    dump.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return dump.join('\n');
}

/** The lines that contain a text, as it is, in hexadecimal digits or in base64. */
export function linesWith(text: string, dump: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [text, bytes.toString('hex'), bytes.toString('base64').replaceAll('=', '').slice(0, -1)];
  return dump.split('\n').filter((line) => forms.some((form) => line.includes(form)));
}
