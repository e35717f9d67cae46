import { sql, type Statements } from '@gangan/database';
import { pageTooLarge } from '../contacts.errors.js';
import type { Row } from '../rows/row.js';
import { type Count, hasTerms, isRare, matchingRows, type Part, type Search } from './row-search.js';

/** What the rows of one answer may have together, as JSON: one, which has three megabytes at most, and its neighbours always fit. */
const mostPageBytes = 10 * 1_048_576;

/** So many rows are looked at on the way through the table before the index of terms is asked for all that match. */
const nearby = 20_000;

type Measured = Row & { readonly bytes: number };

/**
 * The rows of a page. Those of a frequent value are met soon where they are scattered; where they lie together, as an
 * import leaves them, the whole table may be before them.
 * @throws AppError 400 when they are too large together
 */
export async function pageRows(
  transaction: Statements,
  search: Search,
  count: Count,
  part: Omit<Part, 'rare'>,
): Promise<Row[]> {
  const rare = isRare(count, search.filters);
  if (rare || count.bounded || !hasTerms(search.filters)) return read(transaction, search, { ...part, rare });
  const near = await read(transaction, search, { ...part, rare, among: nearby });
  const complete = near.length === part.limit || (part.upTo !== undefined && near.at(-1)?.id === part.upTo);
  return complete ? near : read(transaction, search, { ...part, rare: true });
}

async function read(transaction: Statements, search: Search, part: Part): Promise<Row[]> {
  const rows = await transaction.query<Measured>(sql`
    SELECT id, cells, "createdAt", "updatedAt", bytes FROM (
      SELECT id, cells, "createdAt", "updatedAt", octet_length(cells::text) AS own,
        (sum(octet_length(cells::text)) OVER (ORDER BY id))::int AS bytes
      FROM (${await matchingRows(transaction, search, part)}) AS page) AS measured
    WHERE bytes - own <= ${mostPageBytes}::int ORDER BY id`);
  if ((rows.at(-1)?.bytes ?? 0) > mostPageBytes) throw pageTooLarge(mostPageBytes);
  return rows;
}
