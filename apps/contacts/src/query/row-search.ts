import { maxContactCount } from '@gangan/contracts';
import { Prisma, type Sql, sql, type Statements } from '@gangan/database';
import type { Filter } from '../filters/filter.js';
import { conditionOf, prefilterOf } from '../filters/filter-sql.js';
import { type Row, rowColumns } from '../rows/row.js';

/** The rows of a table that match filters, as they were at a moment. */
export interface Search {
  readonly tableId: string;
  readonly filters: readonly Filter[];
  /** Of Postgres, as text: rows of transactions that it does not see are left out. */
  readonly snapshot: string;
}

export interface Part {
  /** Rows beyond this one only, if any. */
  readonly after: string | undefined;
  /** Up to this one, if any. */
  readonly upTo: string | undefined;
  readonly skip: number;
  readonly limit: number;
  /** What is rare is found by the index of terms and sorted; what is frequent is met soon on the way through the table. */
  readonly rare: boolean;
  /** Found among so many rows of the way through the table, or not at all. */
  readonly among?: number;
}

export interface Count {
  readonly total: number;
  /** There are more than that. */
  readonly bounded: boolean;
}

/** Up to so many are sorted for every page. */
const mostSorted = 10_000;

export const isRare = ({ total, bounded }: Count, filters: readonly Filter[]): boolean =>
  !bounded && total <= mostSorted && hasTerms(filters);

export const hasTerms = (filters: readonly Filter[]): boolean => prefiltersOf(filters).length > 0;

/**
 * Which way is taken must not depend on what the planner believes of rows that differ from organisation to
 * organisation: one way is closed. (Nothing of this outlasts the transaction.)
 */
const ways = {
  table: ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'],
  terms: ['enable_seqscan', 'enable_indexscan', 'enable_indexonlyscan'],
} as const;

async function take(transaction: Statements, way: keyof typeof ways): Promise<void> {
  const closed = [...ways.table, ...ways.terms].map((setting) =>
    Prisma.raw(
      `set_config('${setting}', '${ways[way].some((one) => one === setting) ? 'off' : 'on'}', true)`,
    ),
  );
  await transaction.query(sql`
    SELECT set_config('plan_cache_mode', 'force_custom_plan', true), ${Prisma.join(closed)}`);
}

/** All rows are counted by the tallies of their table; those that match filters one by one, up to a bound. */
export async function countRows(
  transaction: Statements,
  tableId: string,
  filters: readonly Filter[],
): Promise<Count> {
  if (filters.length === 0) {
    const [sum] = await transaction.query<{ total: number }>(sql`
      SELECT coalesce(sum(delta), 0)::int AS total FROM contact_tally WHERE table_id = ${tableId}`);
    return { total: sum?.total ?? 0, bounded: false };
  }
  const [found] = await transaction.query<{ total: number }>(sql`
    SELECT count(*)::int AS total FROM (
      SELECT FROM contact_row WHERE ${await matchAll(transaction, tableId, filters)}
      LIMIT ${maxContactCount + 1}) AS matching`);
  const total = found?.total ?? 0;
  return { total: Math.min(total, maxContactCount), bounded: total > maxContactCount };
}

/** A query of the cells of all rows that match: for few of them, as it reads them all. */
export async function matchingCells(
  transaction: Statements,
  tableId: string,
  filters: readonly Filter[],
): Promise<Sql> {
  return sql`SELECT cells FROM contact_row WHERE ${await matchAll(transaction, tableId, filters)}`;
}

/** What all rows that match have in common, by the index of terms where that helps. */
async function matchAll(transaction: Statements, tableId: string, filters: readonly Filter[]): Promise<Sql> {
  const prefilters = prefiltersOf(filters);
  const byTerms = prefilters.length > 0;
  await take(transaction, byTerms ? 'terms' : 'table');
  return all([...startOf(tableId, byTerms), ...prefilters, ...filters.map(conditionOf)]);
}

/** In the order of their ids. */
export async function findRows(transaction: Statements, search: Search, part: Part): Promise<Row[]> {
  return transaction.query<Row>(await matchingRows(transaction, search, part));
}

/** A query of them in the order of their ids, for this transaction. */
export async function matchingRows(transaction: Statements, search: Search, part: Part): Promise<Sql> {
  await take(transaction, part.rare ? 'terms' : 'table');
  const beyond = [
    ...startOf(search.tableId, part.rare),
    ...(part.after === undefined ? [] : [sql`id > ${part.after}::uuid`]),
    ...(part.upTo === undefined ? [] : [sql`id <= ${part.upTo}::uuid`]),
  ];
  const matching = [
    ...(part.rare ? prefiltersOf(search.filters) : []),
    sql`(created_xid IS NULL OR pg_visible_in_snapshot(created_xid, ${search.snapshot}::pg_snapshot))`,
    ...search.filters.map(conditionOf),
  ];
  const page = sql`ORDER BY id OFFSET ${part.skip} LIMIT ${part.limit}`;
  if (part.rare)
    return sql`WITH rare AS MATERIALIZED (
        SELECT id FROM contact_row WHERE ${all([...beyond, ...matching])} ${page})
      SELECT rare.id, found.cells, found.created_at AS "createdAt", found.updated_at AS "updatedAt"
      FROM rare CROSS JOIN LATERAL (
        SELECT cells, created_at, updated_at FROM contact_row
        WHERE table_id = ${search.tableId}::uuid AND id = rare.id LIMIT 1) AS found
      ORDER BY rare.id`;
  if (part.among === undefined)
    return sql`SELECT ${rowColumns} FROM contact_row WHERE ${all([...beyond, ...matching])} ${page}`;
  return sql`SELECT ${rowColumns} FROM (
      SELECT id, cells, matched, created_xid, created_at, updated_at FROM contact_row
      WHERE ${all(beyond)} ORDER BY id LIMIT ${part.among}) AS near
    WHERE ${all(matching)} ${page}`;
}

const all = (conditions: readonly Sql[]): Sql => Prisma.join([...conditions], ' AND ');

const prefiltersOf = (filters: readonly Filter[]): Sql[] =>
  filters.map(prefilterOf).filter((prefilter) => prefilter !== undefined);

/** On the way by terms the table is compared so that its own index is not asked besides: terms belong to one table. */
const startOf = (tableId: string, byTerms: boolean): Sql[] =>
  byTerms ? [sql`table_id IS NOT DISTINCT FROM ${tableId}::uuid`] : [sql`table_id = ${tableId}::uuid`];
