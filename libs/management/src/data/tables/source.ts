import {
  Prisma,
  type RowOf,
  type Sql,
  sql,
  type SqlRunner,
  type Statement,
  statement,
  t,
} from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import { pagesOf } from '../../session/pages.js';
import { sampleScopes, type Scope } from '../search/scope.js';

/** The next rows of a source. */
export interface Slice {
  /** The cursor of the last row of the slice before; empty at the beginning. */
  readonly after: string;
  readonly limit: number;
}

export const foundShape = {
  id: t.text,
  cursor: t.text,
  /** Whether the row is in the scope; others were only read. */
  hit: t.bool,
};

export type Find = Statement<[scope: Scope, slice: Slice], typeof foundShape>;

export type Unreadable = 'requests of providers' | 'texts of messages';

export interface EraseTools {
  readonly sealer: DataSealer;
  /** The country of numbers without a country code. */
  readonly region: string | undefined;
  /** Called for something that cannot be opened with `DATA_MASTER_KEY`. */
  readonly onUnreadable: (what: Unreadable) => void;
}

/** Rows with personal data in one table. */
export interface Source {
  readonly table: string;
  /** Rows that a statement reads at once. */
  readonly limit: number;
  readonly find: Find;
  /** @returns the number of rows that were deleted or redacted */
  readonly erase: (
    transaction: SqlRunner,
    scope: Scope,
    ids: readonly string[],
    tools: EraseTools,
  ) => Promise<number>;
}

export interface Finding {
  /** Unique in the organisation and ordered. */
  readonly key?: string;
  readonly type?: 'uuid' | 'text';
  /** Which rows are read, through an index. */
  readonly where: (scope: Scope) => Sql;
  /** Which of them are in the scope; without it all are. */
  readonly hit?: (scope: Scope) => Sql;
}

const nil = '00000000-0000-0000-0000-000000000000';

/** Rows of a table in the order of a key. */
export function findIn(table: string, { key = 'id', type = 'uuid', where, hit }: Finding): Find {
  const column = Prisma.raw(key);
  return statement(
    foundShape,
    (scope: Scope, { after, limit }: Slice) => sql`
      SELECT (${column})::text AS id, (${column})::text AS cursor, ${hit?.(scope) ?? sql`true`} AS hit
      FROM ${Prisma.raw(table)} AS own
      WHERE ${where(scope)} AND ${column} > ${after || (type === 'uuid' ? nil : '')}::${Prisma.raw(type)}
      ORDER BY ${column} LIMIT ${limit}`,
    { samples: sampleScopes.map((scope) => [scope, { after: '', limit: 1 }]) },
  );
}

/** Calls `use` for the rows of each slice that are in the scope. */
export async function forEachSlice(
  runner: SqlRunner,
  { find, limit }: Pick<Source, 'find' | 'limit'>,
  scope: Scope,
  use: (ids: readonly string[]) => Promise<void> | void,
  onRead?: (rows: number) => void,
): Promise<void> {
  const pages = pagesOf<RowOf<Find>>(limit, (last) =>
    runner.run(find, scope, { after: last?.cursor ?? '', limit }),
  );
  for await (const rows of pages) {
    onRead?.(rows.length);
    const ids = rows.flatMap(({ id, hit }) => (hit ? [id] : []));
    if (ids.length > 0) await use(ids);
  }
}
