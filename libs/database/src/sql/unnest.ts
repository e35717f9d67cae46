import { Prisma } from '../generated/client.js';
import type { Column } from './columns.js';
import { columnName, type Sql, sql } from './statement.js';

/**
 * Rows as a table of a FROM clause, with one array parameter for each column. `columns` lists the fields of each Postgres
 * type, and may have columns of a shape; a column has the name of its field in snake case.
 *
 * @example
 * sql`INSERT INTO tracked_link (code, delivery_id)
 *   SELECT code, delivery_id FROM ${unnest('link', links, { text: ['code'], uuid: ['deliveryId'] })}`
 */
export function unnest<T extends object>(
  name: string,
  rows: readonly T[],
  columns: Readonly<Record<string, readonly (keyof T & string)[] | Column<unknown>>>,
): Sql {
  const fields = Object.entries(columns).flatMap(([key, column]) =>
    'postgres' in column
      ? [{ type: column.postgres[0] ?? '', field: key as keyof T & string }]
      : column.map((field) => ({ type: key, field })),
  );
  const arrays = fields.map(
    ({ type, field }) => sql`${rows.map((row) => row[field])}${Prisma.raw(`::${type}[]`)}`,
  );
  const names = fields.map(({ field }) => columnName(field));
  return sql`unnest(${Prisma.join(arrays)}) AS ${Prisma.raw(`${name} (${names.join(', ')})`)}`;
}
