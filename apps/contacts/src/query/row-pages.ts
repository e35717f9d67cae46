import { int, sql, statement, type Statements } from '@gangan/database';
import { pageTooLarge } from '../contacts.errors.js';
import { type Row, rowShape } from '../rows/row.js';
import {
  type Count,
  hasTerms,
  isRare,
  matchingRows,
  prepareSearch,
  type RowRange,
  type RowSearch,
  sampleSearches,
} from './row-search.js';

/** Of all rows of one page as JSON. A row has at most three megabytes, so one row always fits. */
const maxPageBytes = 10 * 1_048_576;

/** So many rows of the table are scanned for a page before the term index is asked for all matching rows. */
const maxScanned = 20_000;

/**
 * The rows of a page. A frequent value is usually found soon by scanning the table. But if its rows lie together, as an
 * import leaves them, the scan may pass the whole table first; then the term index finds them.
 * @throws AppError 400 if the page is too large
 */
export async function readRowPage(
  transaction: Statements,
  search: RowSearch,
  count: Count,
  range: Omit<RowRange, 'rare'>,
): Promise<Row[]> {
  const rare = isRare(count, search.filters);
  if (rare || count.bounded || !hasTerms(search.filters))
    return read(transaction, search, { ...range, rare });
  const scanned = await read(transaction, search, { ...range, rare, among: maxScanned });
  const complete =
    scanned.length === range.limit || (range.upTo !== undefined && scanned.at(-1)?.id === range.upTo);
  return complete ? scanned : read(transaction, search, { ...range, rare: true });
}

async function read(transaction: Statements, search: RowSearch, range: RowRange): Promise<Row[]> {
  await prepareSearch(transaction, range);
  const rows = await transaction.run(selectPage, search, range);
  if ((rows.at(-1)?.bytes ?? 0) > maxPageBytes) throw pageTooLarge(maxPageBytes);
  return rows;
}

/** Stops after the first row that exceeds the size of a page. `bytes` is the size up to each row. */
const selectPage = statement(
  { ...rowShape, bytes: int },
  (search: RowSearch, range: RowRange) => sql`
    SELECT id, cells, "createdAt", "updatedAt", bytes FROM (
      SELECT id, cells, "createdAt", "updatedAt", octet_length(cells::text) AS own,
        (sum(octet_length(cells::text)) OVER (ORDER BY id))::int AS bytes
      FROM (${matchingRows(search, range)}) AS page) AS measured
    WHERE bytes - own <= ${maxPageBytes}::int ORDER BY id`,
  { samples: sampleSearches },
);
