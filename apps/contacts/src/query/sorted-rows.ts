import { Prisma, type RowOf, sql, statement, type Statements, t } from '@gangan/database';
import { pageTooLarge } from '../contacts.errors.js';
import { rowShape } from '../rows/row.js';
import {
  forceAccessPath,
  hasTerms,
  matchingConditions,
  maxPageBytes,
  type RowSearch,
  sampleFilters,
} from './row-search.js';
import { type Boundary, inOrder, isAfter, type Sort, sortKey } from './sort.js';

/** Which of the sorted rows to read. */
export interface SortedRange {
  readonly after?: Boundary | undefined;
  readonly upTo?: Boundary | undefined;
  readonly skip?: number;
  readonly limit: number;
}

export type SortedRow = RowOf<typeof selectSorted>;

/**
 * Every page sorts all matching rows by their keys: their number is limited, and only the rows of the page are read as a
 * whole.
 * @throws AppError 400 if the page is too large
 */
export async function readSorted(
  transaction: Statements,
  search: RowSearch,
  sort: Sort,
  range: SortedRange,
): Promise<SortedRow[]> {
  await transaction.run(forceAccessPath, hasTerms(search.filters));
  const rows = await transaction.run(selectSorted, search, sort, range);
  if ((rows.at(-1)?.bytes ?? 0) > maxPageBytes) throw pageTooLarge(maxPageBytes);
  return rows;
}

const sampleSorted = (['NUMBER', 'TEXT'] as const).flatMap((type) =>
  [null, '1'].map((lastKey): [RowSearch, Sort, SortedRange] => [
    { tableId: '', filters: sampleFilters, snapshot: '' },
    { columnId: '', type, descending: lastKey === null },
    { after: { lastId: '', lastKey }, upTo: { lastId: '', lastKey }, skip: 0, limit: 1 },
  ]),
);

/** Stops after the first row that exceeds the size of a page. `OFFSET 0` has the keys computed once for each row. */
const selectSorted = statement(
  { ...rowShape, bytes: t.int, key: t.nullable(t.text) },
  (search: RowSearch, sort: Sort, { after, upTo, skip = 0, limit }: SortedRange) => {
    const range = [
      ...(after ? [isAfter(sort, after)] : []),
      ...(upTo ? [sql`NOT ${isAfter(sort, upTo)}`] : []),
    ];
    return sql`
    WITH page AS MATERIALIZED (
      SELECT id, key FROM (
        SELECT id, ${sortKey(sort)} AS key FROM contact_row WHERE ${matchingConditions(search)} OFFSET 0) AS keyed
      WHERE ${Prisma.join([sql`true`, ...range], ' AND ')}
      ORDER BY ${inOrder(sort)} OFFSET ${skip} LIMIT ${limit}),
    placed AS (SELECT id, key, row_number() OVER (ORDER BY ${inOrder(sort)}) AS place FROM page)
    SELECT id, cells, "createdAt", "updatedAt", bytes, key FROM (
      SELECT placed.id, placed.place, placed.key::text AS key, found.cells, found.created_at AS "createdAt",
        found.updated_at AS "updatedAt", octet_length(found.cells::text) AS own,
        (sum(octet_length(found.cells::text)) OVER (ORDER BY placed.place))::int AS bytes
      FROM placed CROSS JOIN LATERAL (
        SELECT cells, created_at, updated_at FROM contact_row
        WHERE table_id = ${search.tableId}::uuid AND id = placed.id LIMIT 1) AS found) AS measured
    WHERE bytes - own <= ${maxPageBytes}::int ORDER BY place`;
  },
  { samples: sampleSorted },
);
