import { maxContactCount } from '@gangan/contracts';
import {
  command,
  Database,
  sql,
  sqlFailure,
  sqlState,
  statement,
  type Statements,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { pageTooLarge, queryTooSlow, tooManyToSort } from '../contacts.errors.js';
import type { FilterNode } from '../filters/filter.js';
import { type Row, rowShape } from '../rows/row.js';
import { inSnapshot, queryCanceled, readOnly } from '../transactions.js';
import {
  type Count,
  countRows,
  forceAccessPath,
  hasTerms,
  isRare,
  matchingRows,
  maxPageBytes,
  type RowRange,
  type RowSearch,
  sampleSearches,
} from './row-search.js';
import { findPageEnds, insertPageEnds, insertScroll, type Scroll, useScroll } from './scrolls.repository.js';
import type { Boundary, Sort } from './sort.js';
import { readSorted, type SortedRange } from './sorted-rows.js';

export interface PageQuery {
  readonly tableId: string;
  readonly filters: readonly FilterNode[];
  /** Without it, rows are ordered by id. */
  readonly sort?: Sort | undefined;
  /** A hash of the filters, the order and the smartlist: a scroll is bound to them. */
  readonly fingerprint: Buffer;
  readonly page: number;
  readonly deadline: number;
}

export interface Page {
  readonly scroll: Scroll;
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
}

/** How many rows may start to match within a page after it was first read. */
const maxJoining = 1_000;

/** At most this many rows of the table are scanned for a page before the term index is asked for all matching rows. */
const maxScanned = 20_000;

@Injectable()
export class QueryRepository {
  constructor(private readonly database: Database) {}

  /** Starts a scroll with this id and reads one of its pages. */
  begin(query: PageQuery, id: string, perPage: number): Promise<Page> {
    const begin = (): Promise<Page> => this.beginInSnapshot(query, id, perPage);
    return inTime(
      begin().catch((error: unknown) => {
        // Another worker inserted the same scroll after this snapshot. The next snapshot sees it.
        if (sqlFailure(error) === 'conflict') return begin();
        throw error;
      }),
    );
  }

  /** `undefined` if there is no scroll with this id, table, filters and page size, or it has expired. */
  resume(query: PageQuery, id: string, perPage: number | undefined): Promise<Page | undefined> {
    return inTime(
      this.database.transaction(async (transaction) => {
        const scroll = await useScroll(transaction, id, query.tableId);
        if (!scroll?.fingerprint.equals(query.fingerprint)) return undefined;
        if (perPage !== undefined && perPage !== scroll.perPage) return undefined;
        return this.read(transaction, scroll, query);
      }),
    );
  }

  private beginInSnapshot(query: PageQuery, id: string, perPage: number): Promise<Page> {
    return inSnapshot(this.database, async (transaction, snapshot) => {
      const { tableId, filters, fingerprint } = query;
      await limitTime(transaction, query);
      const count = await countRows(transaction, tableId, filters);
      if (query.sort && (count.bounded || count.total > maxContactCount))
        throw tooManyToSort(maxContactCount);
      const scroll: Scroll = { id, tableId, fingerprint, snapshot, perPage, ...count };
      if ((await transaction.run(insertScroll, scroll)) > 0) return this.read(transaction, scroll, query);
      // An earlier run of the same request started the scroll.
      return this.read(transaction, (await useScroll(transaction, id, tableId)) ?? scroll, query);
    });
  }

  private async read(transaction: Statements, scroll: Scroll, query: PageQuery): Promise<Page> {
    const { page, tableId, filters, sort } = query;
    const { perPage, snapshot, total, bounded } = scroll;
    const search: RowSearch = { tableId, filters, snapshot };
    const readRows = (range: SortedRange): Promise<readonly PageRow[]> =>
      sort ? readSorted(transaction, search, sort, range) : readRowPage(transaction, search, scroll, range);
    const { before, end } = await findPageEnds(transaction, scroll.id, page);
    const beyond = !bounded && (page - 1) * perPage >= total;
    if (beyond && before.page !== page - 1) return { scroll, rows: [], hasNext: false };
    const skipped = (page - 1 - before.page) * perPage;
    // If the end of the previous page is unknown, the last row of that page is read as well.
    const extra = skipped > 0 ? 1 : 0;
    const known = end?.page === page ? end : undefined;
    await limitTime(transaction, query);
    const found = await readRows({
      after: before.end,
      upTo: end,
      skip: skipped - extra,
      limit: extra + perPage + (known ? maxJoining : 1),
    });
    // A page whose end is known keeps all of its rows, also new matches: no other page would have them.
    const rows = known ? found.slice(extra) : found.slice(extra, extra + perPage);
    const [preceding, last] = [extra > 0 ? found[0] : undefined, rows.at(-1)];
    const ends = [
      ...(preceding && rows.length > 0 ? [{ page: page - 1, ...boundaryOf(preceding) }] : []),
      ...(last && !known ? [{ page, ...boundaryOf(last) }] : []),
    ];
    if (ends.length > 0) await transaction.run(insertPageEnds, scroll.id, ends);
    if (page * perPage < total) return { scroll, rows, hasNext: true };
    if (!known) return { scroll, rows, hasNext: found.length > extra + perPage || end !== undefined };
    return { scroll, rows, hasNext: (await readRows({ after: known, limit: 1 })).length > 0 };
  }
}

/** `key`: the value that it is sorted by. */
type PageRow = Row & { readonly key?: string | null };

const boundaryOf = ({ id, key = null }: PageRow): Boundary => ({ lastId: id, lastKey: key });

/** The database cancels statements at the deadline. */
const setStatementTimeout = command(
  (timeoutMs: string) => sql`SELECT set_config('statement_timeout', ${timeoutMs}, true)`,
);

const limitTime = (transaction: Statements, { deadline }: PageQuery): Promise<number> =>
  transaction.run(setStatementTimeout, String(Math.max(1, Math.floor(deadline - Date.now()))));

const inTime = <T>(page: Promise<T>): Promise<T> =>
  readOnly(
    page.catch((error: unknown) => {
      throw sqlState(error) === queryCanceled ? queryTooSlow(error) : (error as Error);
    }),
  );

/**
 * The rows of a page. A frequent value is usually found soon by scanning the table. But if its rows lie together, as an
 * import leaves them, the scan may pass the whole table first; then the term index finds them.
 * @throws AppError 400 if the page is too large
 */
async function readRowPage(
  transaction: Statements,
  search: RowSearch,
  count: Count,
  { after, upTo, skip = 0, limit }: SortedRange,
): Promise<Row[]> {
  const range = { after: after?.lastId, upTo: upTo?.lastId, skip, limit };
  const rare = isRare(count, search.filters);
  if (rare || count.bounded || !hasTerms(search.filters))
    return readRange(transaction, search, { ...range, rare });
  const scanned = await readRange(transaction, search, { ...range, rare, among: maxScanned });
  const complete =
    scanned.length === range.limit || (range.upTo !== undefined && scanned.at(-1)?.id === range.upTo);
  return complete ? scanned : readRange(transaction, search, { ...range, rare: true });
}

async function readRange(transaction: Statements, search: RowSearch, range: RowRange): Promise<Row[]> {
  await transaction.run(forceAccessPath, range.rare);
  const rows = await transaction.run(selectPage, search, range);
  if ((rows.at(-1)?.bytes ?? 0) > maxPageBytes) throw pageTooLarge(maxPageBytes);
  return rows;
}

/** Stops after the first row that exceeds the size of a page. `bytes` is the size up to each row. */
const selectPage = statement(
  { ...rowShape, bytes: t.int },
  (search: RowSearch, range: RowRange) => sql`
    SELECT id, cells, "createdAt", "updatedAt", bytes FROM (
      SELECT id, cells, "createdAt", "updatedAt", octet_length(cells::text) AS own,
        (sum(octet_length(cells::text)) OVER (ORDER BY id))::int AS bytes
      FROM (${matchingRows(search, range)}) AS page) AS measured
    WHERE bytes - own <= ${maxPageBytes}::int ORDER BY id`,
  { samples: sampleSearches },
);
