import {
  type LedgerMovementKind,
  Prisma,
  type Sql,
  sql,
  type Statement,
  statement,
  t,
} from '@gangan/database';

/** The rows of a table after one key, up to and including another, in the order of an index. */
export interface Slice<Key> {
  readonly after: Key;
  readonly last: Key;
}

/** A table that is read slice by slice. Each statement about a slice has a snapshot of its own. */
export interface Scan<Key> {
  readonly table: string;
  /** A key that sorts before every other one. */
  readonly start: Key;
  /** The key of the last row of the next slice, and the number of its rows; no row at the end of the table. */
  readonly nextSlice: Statement<[after: Key, maxRows: number], SliceShape>;
  /** A query of the rows of a slice. */
  rowsOf(slice: Slice<Key>): Sql;
}

const sliceShape = { key: t.json<never>(), rows: t.int };
type SliceShape = typeof sliceShape;

/** The columns of an index, each with its type and smallest value. */
type KeyColumns = Readonly<Record<string, { readonly type: string; readonly min: string }>>;
type KeyOf<C extends KeyColumns> = { readonly [Name in keyof C]: string };

const uuid = { type: 'uuid', min: '00000000-0000-0000-0000-000000000000' };

function scan<C extends KeyColumns>(name: string, columns: C): Scan<KeyOf<C>> {
  const entries = Object.entries(columns);
  const table = Prisma.raw(name);
  const key = Prisma.raw(entries.map(([column]) => column).join(', '));
  const json = Prisma.raw(entries.map(([column]) => `'${column}', ${column}`).join(', '));
  const values = (given: KeyOf<C>): Sql =>
    Prisma.join(entries.map(([column, { type }]) => sql`${given[column]}::${Prisma.raw(type)}`));
  return {
    table: name,
    start: Object.fromEntries(entries.map(([column, { min }]) => [column, min])) as KeyOf<C>,
    nextSlice: statement(
      sliceShape,
      (after: KeyOf<C>, maxRows: number) => sql`
        SELECT json_build_object(${json}) AS key, position::int AS rows FROM (
          SELECT ${key}, row_number() OVER (ORDER BY ${key}) AS position FROM ${table}
          WHERE (${key}) > (${values(after)}) ORDER BY ${key} LIMIT ${maxRows}) slice
        ORDER BY position DESC LIMIT 1`,
    ),
    rowsOf: ({ after, last }) => sql`
      SELECT * FROM ${table} WHERE (${key}) > (${values(after)}) AND (${key}) <= (${values(last)})`,
  };
}

const firstKind: LedgerMovementKind = 'top_up';

export const accountScan = scan('ledger_account', { id: uuid });
export const movementScan = scan('ledger_movement', {
  organisation_id: uuid,
  kind: { type: 'ledger_movement_kind', min: firstKind },
  id: uuid,
});
export const organisationScan = scan('organisation', { id: uuid });

export type MovementSlice = Slice<typeof movementScan.start>;
export type OrganisationSlice = Slice<typeof organisationScan.start>;
