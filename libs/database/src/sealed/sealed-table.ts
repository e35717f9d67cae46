import type { SealedColumn } from '@gangan/sealing';
import * as t from '../sql/columns.js';
import { type Command, type RowOf, type Sql, sql, type Statement } from '../sql/statement.js';

/** The next rows of a table, in the order of their ids. */
export interface Slice {
  /** The last row of the slice before. */
  readonly after: string;
  readonly limit: number;
  /** The ids of the keys whose texts are sealed again. */
  readonly earlierKeys: readonly Buffer[];
}

export const sliceShape = {
  id: t.text,
  organisationId: t.uuid,
  /** The text, if it is to be sealed. */
  plain: t.nullable(t.text),
  /** The sealed text, if it is to be sealed again. */
  sealed: t.nullable(t.bytes),
};

export type SliceRow = RowOf<{ readonly shape: typeof sliceShape }>;

/** A text that was sealed again. It is stored only if the row still holds `before`. */
export interface Resealed {
  readonly id: string;
  readonly before: Buffer | null;
  readonly sealed: Buffer;
}

/** The keys of sealed texts, by their ids. */
export interface KeyIds {
  readonly first: Buffer;
  readonly earlier: readonly Buffer[];
}

export const countShape = { notSealed: t.int, firstKey: t.int, earlierKeys: t.int, unknownKeys: t.int };

/** How the texts of a column are found, replaced and counted. */
export interface SealedTable {
  readonly column: SealedColumn;
  /** Sorts before all ids. */
  readonly start: string;
  readonly read: Statement<[slice: Slice], typeof sliceShape>;
  /** Skips rows that another transaction has locked, so that no app waits for it and it waits for no app. */
  readonly store: Command<[rows: readonly Resealed[]]>;
  readonly count: Statement<[keys: KeyIds], typeof countShape>;
}

/** Sorts before all ids that are UUIDs. */
export const firstUuid = '00000000-0000-0000-0000-000000000000';

/** The first bytes of a sealed text are the id of its key. */
const keyOf = (sealed: Sql): Sql => sql`substring(${sealed} FOR 4)`;

/** The sealed text, if one of these keys sealed it. */
export const sealedBy = (sealed: Sql, keys: readonly Buffer[]): Sql =>
  sql`CASE WHEN ${keyOf(sealed)} = ANY (${keys}::bytea[]) THEN ${sealed} END`;

/** Counts texts by the key that sealed them. */
export const countByKey = (plain: Sql, sealed: Sql, { first, earlier }: KeyIds): Sql => sql`
  count(${plain})::int AS "notSealed",
  count(*) FILTER (WHERE ${keyOf(sealed)} = ${first})::int AS "firstKey",
  count(*) FILTER (WHERE ${keyOf(sealed)} = ANY (${earlier}::bytea[]))::int AS "earlierKeys",
  count(*) FILTER (WHERE ${keyOf(sealed)} <> ALL (${[first, ...earlier]}::bytea[]))::int AS "unknownKeys"`;
