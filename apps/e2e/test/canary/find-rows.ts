import { type Database, Prisma, sql } from '@gangan/database';
import type { Canaries } from './canaries.js';

export interface Found {
  readonly text: string;
  readonly schema: string;
  readonly table: string;
}

/** The tables with a row that contains a canary, as text or bytes. */
export async function findRows(database: Database, canaries: Canaries): Promise<Found[]> {
  const tables = await database.query<Omit<Found, 'text'>>(sql`
    SELECT schemaname AS schema, tablename AS "table" FROM pg_tables
    WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`);
  const found: Found[] = [];
  // Sequentially: there are many tables and few connections.
  for (const { schema, table } of tables) {
    const rows = await database.query<{ row: string }>(sql`
      SELECT row::text AS row FROM ${Prisma.raw(`"${schema}"."${table}"`)} AS row
      WHERE EXISTS (SELECT FROM unnest(${canaries.marks}::text[]) AS mark
        WHERE strpos(row::text, mark) > 0
           OR strpos(row::text, encode(convert_to(mark, 'UTF8'), 'hex')) > 0)`);
    const texts = new Set(rows.flatMap(({ row }) => inRow(row, canaries)));
    found.push(...[...texts].map((text) => ({ text, schema, table })));
  }
  return found;
}

const inRow = (row: string, canaries: Canaries): string[] => {
  const bytes = [...row.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex = '']) => Buffer.from(hex, 'hex'));
  return [Buffer.from(row), ...bytes].flatMap((written) => canaries.in(written));
};
