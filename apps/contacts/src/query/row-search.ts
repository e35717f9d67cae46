import { contactOperators, maxContactCount } from '@gangan/contracts';
import { command, Prisma, type Sql, sql, statement, type Statements, t } from '@gangan/database';
import type { Filter, FilterNode } from '../filters/filter.js';
import { buildCondition, buildPrefilter } from '../filters/filter-sql.js';
import { type Row, rowColumns, rowShape } from '../rows/row.js';

/** The rows of a table that match all filters, as of a snapshot. */
export interface RowSearch {
  readonly tableId: string;
  readonly filters: readonly FilterNode[];
  /** A `pg_snapshot` as text: rows of transactions that it does not see are left out. */
  readonly snapshot: string;
}

/** Which of the matching rows to read, in the order of their ids. */
export interface RowRange {
  readonly after?: string | undefined;
  readonly upTo?: string | undefined;
  readonly skip?: number;
  readonly limit: number;
  /** Few rows match: the term index finds all of them, and they are sorted. Otherwise the table is scanned in order. */
  readonly rare: boolean;
  /** Looks at only this many rows of the table. */
  readonly among?: number;
}

export interface Count {
  readonly total: number;
  /** More rows match than were counted. */
  readonly bounded: boolean;
}

/** The most bytes of the rows of one page as JSON. A row has at most three megabytes, so one row always fits. */
export const maxPageBytes = 10 * 1_048_576;

/** The maximum number of rows that are sorted for a page. */
const maxSorted = 10_000;

export const isRare = ({ total, bounded }: Count, filters: readonly FilterNode[]): boolean =>
  !bounded && total <= maxSorted && hasTerms(filters);

export const hasTerms = (filters: readonly FilterNode[]): boolean => buildPrefilters(filters).length > 0;

const offForTable = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'];
const offForTerms = ['enable_seqscan', 'enable_indexscan', 'enable_indexonlyscan'];

/**
 * Forces the access path until the end of the transaction. The planner's estimates are useless here, because the rows
 * of organisations differ. Run it before a statement with `matchingRows` (`byTerms` if the range is rare) or
 * `matchesAll` (`byTerms` if the filters have terms).
 */
export const forceAccessPath = command(
  (byTerms: boolean) => {
    const off = byTerms ? offForTerms : offForTable;
    const settings = [...offForTable, ...offForTerms].map((name) =>
      Prisma.raw(`set_config('${name}', '${off.includes(name) ? 'off' : 'on'}', true)`),
    );
    return sql`SELECT set_config('plan_cache_mode', 'force_custom_plan', true), ${Prisma.join(settings)}`;
  },
  { samples: [[true], [false]] },
);

/** Without filters the tallies of the table give the count. With filters the rows are counted, up to a bound. */
export async function countRows(
  transaction: Statements,
  tableId: string,
  filters: readonly FilterNode[],
): Promise<Count> {
  if (filters.length === 0) {
    const [sum] = await transaction.run(sumTallies, tableId);
    return { total: sum?.total ?? 0, bounded: false };
  }
  await transaction.run(forceAccessPath, hasTerms(filters));
  const [found] = await transaction.run(countMatching, tableId, filters);
  const total = found?.total ?? 0;
  return { total: Math.min(total, maxContactCount), bounded: total > maxContactCount };
}

export async function findRows(transaction: Statements, search: RowSearch, range: RowRange): Promise<Row[]> {
  await transaction.run(forceAccessPath, range.rare);
  return transaction.run(selectMatching, search, range);
}

/** The condition that a row matches all filters. It uses the term index if a filter has terms. */
export function matchesAll(tableId: string, filters: readonly FilterNode[]): Sql {
  const prefilters = buildPrefilters(filters);
  return and([inTable(tableId, prefilters.length > 0), ...prefilters, ...filters.map(buildCondition)]);
}

/** As `matchesAll`, for the rows of the snapshot. */
export const matchingConditions = ({ tableId, filters, snapshot }: RowSearch): Sql =>
  and([isVisible(snapshot), matchesAll(tableId, filters)]);

const isVisible = (snapshot: string): Sql =>
  sql`(created_xid IS NULL OR pg_visible_in_snapshot(created_xid, ${snapshot}::pg_snapshot))`;

/** A query for the rows of a range, ordered by id. */
export function matchingRows(search: RowSearch, range: RowRange): Sql {
  const inRange = [
    inTable(search.tableId, range.rare),
    ...(range.after === undefined ? [] : [sql`id > ${range.after}::uuid`]),
    ...(range.upTo === undefined ? [] : [sql`id <= ${range.upTo}::uuid`]),
  ];
  const matching = [
    ...(range.rare ? buildPrefilters(search.filters) : []),
    isVisible(search.snapshot),
    ...search.filters.map(buildCondition),
  ];
  const page = sql`ORDER BY id OFFSET ${range.skip ?? 0} LIMIT ${range.limit}`;
  if (range.rare)
    return sql`WITH rare AS MATERIALIZED (
        SELECT id FROM contact_row WHERE ${and([...inRange, ...matching])} ${page})
      SELECT rare.id, found.cells, found.created_at AS "createdAt", found.updated_at AS "updatedAt"
      FROM rare CROSS JOIN LATERAL (
        SELECT cells, created_at, updated_at FROM contact_row
        WHERE table_id = ${search.tableId}::uuid AND id = rare.id LIMIT 1) AS found
      ORDER BY rare.id`;
  if (range.among === undefined)
    return sql`SELECT ${rowColumns} FROM contact_row WHERE ${and([...inRange, ...matching])} ${page}`;
  return sql`SELECT ${rowColumns} FROM (
      SELECT id, cells, matched, created_xid, created_at, updated_at FROM contact_row
      WHERE ${and(inRange)} ORDER BY id LIMIT ${range.among}) AS near
    WHERE ${and(matching)} ${page}`;
}

const and = (conditions: readonly Sql[]): Sql => Prisma.join([...conditions], ' AND ');

const buildPrefilters = (filters: readonly FilterNode[]): Sql[] =>
  filters.map(buildPrefilter).filter((prefilter) => prefilter !== undefined);

/** With terms, `IS NOT DISTINCT FROM` hides the table from its index: terms already belong to one table. */
const inTable = (tableId: string, byTerms: boolean): Sql =>
  byTerms ? sql`table_id IS NOT DISTINCT FROM ${tableId}::uuid` : sql`table_id = ${tableId}::uuid`;

/** For the check of statements: filters with every operator, groups, and every kind of range. */
const sampleOperators: readonly Filter[] = contactOperators.flatMap((operator) =>
  (['TEXT', 'NUMBER', 'MULTI SELECT'] as const).map((type) => ({
    columnId: '',
    type,
    operator,
    values: ['1', '2'],
  })),
);
export const sampleFilters: readonly FilterNode[] = [
  ...sampleOperators,
  { join: 'any', filters: [...sampleOperators, { join: 'all', filters: sampleOperators }] },
];
const sampleRange: RowRange = { after: '', upTo: '', skip: 0, limit: 1, rare: false };
export const sampleSearches = [sampleRange, { ...sampleRange, rare: true }, { ...sampleRange, among: 1 }].map(
  (range): [RowSearch, RowRange] => [{ tableId: '', filters: sampleFilters, snapshot: '' }, range],
);

const sumTallies = statement(
  { total: t.int },
  (tableId: string) =>
    sql`SELECT coalesce(sum(delta), 0)::int AS total FROM contact_tally WHERE table_id = ${tableId}`,
);

const countMatching = statement(
  { total: t.int },
  (tableId: string, filters: readonly FilterNode[]) => sql`
    SELECT count(*)::int AS total FROM (
      SELECT FROM contact_row WHERE ${matchesAll(tableId, filters)} LIMIT ${maxContactCount + 1}) AS matching`,
  { samples: [['', sampleFilters]] },
);

const selectMatching = statement(rowShape, matchingRows, { samples: sampleSearches });
