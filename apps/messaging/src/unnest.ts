import { Prisma, type Sql, sql } from '@gangan/database';

/**
 * Rows as a table of a FROM clause, with one array parameter for each column. `columns` names the fields and their
 * Postgres types; a column has the name of its field in snake case.
 *
 * @example
 * sql`INSERT INTO link (code, delivery_id)
 *   SELECT code, delivery_id FROM ${unnest('given', links, { code: 'text', deliveryId: 'uuid' })}`
 */
export function unnest<T extends object>(
  name: string,
  rows: readonly T[],
  columns: { readonly [Field in keyof T]?: string },
): Sql {
  const fields = Object.keys(columns) as (keyof T & string)[];
  const arrays = fields.map(
    (field) => sql`${rows.map((row) => row[field])}${Prisma.raw(`::${columns[field] ?? ''}[]`)}`,
  );
  const names = fields.map((field) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return sql`unnest(${Prisma.join(arrays)}) AS ${Prisma.raw(`${name} (${names.join(', ')})`)}`;
}
