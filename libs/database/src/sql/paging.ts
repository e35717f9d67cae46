import { maxId } from '@gangan/protocol';
import { type Sql, sql } from './statement.js';

/** One page of a list, and where the next one begins. `pagination` has the form of the HTTP responses. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly pagination: {
    readonly limit: number;
    /** The id of the last row, or of the last one that was looked at; absent on the last page. */
    readonly next?: string;
  };
}

/**
 * Reads a page of at most `limit` rows. One row more is read than the page holds: it shows whether another page follows.
 *
 * @example
 * const { rows, pagination } = await readPage(limit, (size) => database.run(listCallbacks, organisationId, before, size));
 *
 * @param lastRead the last id that `read` looks at, if there may be more behind it
 */
export async function readPage<Row extends { readonly id: string }>(
  limit: number,
  read: (size: number) => Promise<readonly Row[]>,
  lastRead?: string,
): Promise<Page<Row>> {
  const found = await read(limit + 1);
  const rows = found.slice(0, limit);
  const next = found.length > limit ? rows.at(-1)?.id : lastRead;
  return { rows, pagination: { limit, ...(next !== undefined && { next }) } };
}

/**
 * The condition for the rows of a page that is read newest first; for use with `ORDER BY id DESC LIMIT ${size}`.
 * @param before the `next` of the page before; all ids are in question without it
 */
export const idBefore = (before: string | undefined, id: Sql = sql`id`): Sql =>
  sql`${id} < ${before ?? maxId}::uuid`;
