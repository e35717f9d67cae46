import { type Database, Prisma, sql } from '@gangan/database';

export interface Found {
  readonly text: string;
  readonly schema: string;
  readonly table: string;
}

/** The tables with a row that holds one of these texts, as it is or as bytes. */
export async function findRows(database: Database, texts: Iterable<string>): Promise<Found[]> {
  const tables = await database.query<Omit<Found, 'text'>>(sql`
    SELECT schemaname AS schema, tablename AS "table" FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
  const found = tables.map(async ({ schema, table }) => {
    const rows = await database.query<{ text: string }>(sql`
      SELECT text FROM unnest(${[...texts]}::text[]) AS text
      WHERE EXISTS (SELECT FROM ${Prisma.raw(`"${schema}"."${table}"`)} AS row
        WHERE strpos(row::text, text) > 0
           OR strpos(row::text, encode(convert_to(text, 'UTF8'), 'hex')) > 0)`);
    return rows.map(({ text }) => ({ text, schema, table }));
  });
  return (await Promise.all(found)).flat();
}
