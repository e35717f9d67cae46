import type { ContactColumnType, ContactSort } from '@gangan/contracts';
import { Prisma, type Sql, sql } from '@gangan/database';
import type { ErrorType, FieldError } from '@gangan/protocol';
import { type Column, findColumnByName } from '../tables/table.js';

/** The order of the rows of a query: by a column, then by id. */
export interface Sort {
  readonly columnId: string;
  readonly type: ContactColumnType;
  readonly descending: boolean;
}

/** Where a page ends. `lastKey` is the sorted value of its last row as text; NULL for an empty cell, or without sorting. */
export interface Boundary {
  readonly lastId: string;
  readonly lastKey: string | null;
}

export function resolveSort(
  given: ContactSort,
  columns: readonly Column[],
): { readonly sort: Sort } | { readonly error: FieldError } {
  const { column_id: id, name, order } = given;
  if (id === undefined && name === undefined)
    return { error: sortError('column_id', 'is required, unless there is a name', 'missing') };
  const column =
    id === undefined
      ? findColumnByName(columns, name ?? '')
      : columns.find((each) => each.id === id.toLowerCase());
  return column
    ? { sort: { columnId: column.id, type: column.type, descending: order === 'desc' } }
    : {
        error: sortError(
          id === undefined ? 'name' : 'column_id',
          'does not match a column of this table',
          'value_error',
        ),
      };
}

const sortError = (part: string, problem: string, type: ErrorType): FieldError => ({
  field: `sort.${part}`,
  message: `sort.${part} ${problem}`,
  type,
});

/** Further characters of a text do not count, so that a page end is short and many rows can be sorted. */
const maxKeyLength = 200;

/** The value that a row is sorted by: comparable as the order operators of filters compare. */
export const sortKey = ({ columnId, type }: Sort): Sql => {
  const compared = sql`coalesce(matched ->> ${columnId}::text, cells ->> ${columnId}::text)`;
  // Cells of a NUMBER column were checked when they were written, so the cast cannot fail.
  return type === 'NUMBER'
    ? sql`(${compared})::numeric`
    : sql`(contact_fold(left(${compared}, ${maxKeyLength})) COLLATE "C")`;
};

/** The order of rows with the columns `key` and `id`. */
export const inOrder = ({ descending }: Sort): Sql =>
  sql`key IS NULL, key ${Prisma.raw(descending ? 'DESC' : 'ASC')}, id`;

const toKey = ({ type }: Sort, key: string): Sql =>
  type === 'NUMBER' ? sql`${key}::numeric` : sql`(${key}::text COLLATE "C")`;

/** The condition that a row with the columns `key` and `id` comes after a boundary. */
export function isAfter(sort: Sort, { lastId, lastKey }: Boundary): Sql {
  if (lastKey === null) return sql`(key IS NULL AND id > ${lastId}::uuid)`;
  const key = toKey(sort, lastKey);
  const beyond = sort.descending ? sql`key < ${key}` : sql`key > ${key}`;
  return sql`(key IS NULL OR ${beyond} OR (key = ${key} AND id > ${lastId}::uuid))`;
}
