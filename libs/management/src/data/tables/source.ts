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
import { nilUuid } from '@gangan/protocol';
import type { DataSealer } from '@gangan/sealing';
import { pagesOf } from '../../pages.js';
import { sampleScopes, type Scope } from '../search/scope.js';

/** The next rows of a source. */
interface Slice {
  /** The cursor of the last row of the slice before; empty at the beginning. */
  readonly after: string;
  readonly limit: number;
}

const foundShape = {
  id: t.text,
  cursor: t.text,
  /** Whether the row is in the scope; others were only read. */
  hit: t.bool,
};

type Find = Statement<[scope: Scope, slice: Slice], typeof foundShape>;

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
  /** Unique in the organisation; `id` by default. */
  readonly key?: string;
  /** The columns in whose order the rows are read, of an index; by default the key. */
  readonly order?: Readonly<Record<string, 'uuid' | 'text'>>;
  /** Which rows are read, through an index. */
  readonly where: (scope: Scope) => Sql;
  /** Which of them are in the scope; without it all are. */
  readonly hit?: (scope: Scope) => Sql;
}

/** Rows of a table, in an order. The cursor is a JSON array: texts may contain any separator. */
export function findIn(
  table: string,
  { key = 'id', order = { [key]: key === 'id' ? 'uuid' : 'text' }, where, hit }: Finding,
): Find {
  const columns = Prisma.raw(Object.keys(order).join(', '));
  const first = Object.values(order).map((type) => (type === 'uuid' ? nilUuid : ''));
  return statement(
    foundShape,
    (scope: Scope, { after, limit }: Slice) => {
      const values = after === '' ? first : (JSON.parse(after) as string[]);
      const last = Object.values(order).map((type, index) => sql`${values[index]}::${Prisma.raw(type)}`);
      return sql`
        SELECT (${Prisma.raw(key)})::text AS id, json_build_array(${columns})::text AS cursor,
          ${hit?.(scope) ?? sql`true`} AS hit
        FROM ${Prisma.raw(table)} AS own WHERE ${where(scope)} AND (${columns}) > (${Prisma.join(last)})
        ORDER BY ${columns} LIMIT ${limit}`;
    },
    { samples: sampleScopes.map((scope) => [scope, { after: '', limit: 1 }]) },
  );
}

/** The ids of each slice of rows that are in the scope. @param onRead is called with how many rows were searched */
export async function* slicesOf(
  runner: SqlRunner,
  { table, find, limit }: Source,
  scope: Scope,
  onRead: (table: string, rows: number) => void,
): AsyncGenerator<readonly string[]> {
  const pages = pagesOf<RowOf<Find>>(limit, (last) =>
    runner.run(find, scope, { after: last?.cursor ?? '', limit }),
  );
  for await (const rows of pages) {
    onRead(table, rows.length);
    const ids = rows.flatMap(({ id, hit }) => (hit ? [id] : []));
    if (ids.length > 0) yield ids;
  }
}
