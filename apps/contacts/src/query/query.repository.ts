import { command, Database, sql, sqlFailure, sqlState, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { queryTooSlow } from '../contacts.errors.js';
import type { Filter } from '../filters/filter.js';
import type { Row } from '../rows/row.js';
import { inSnapshot, queryCanceled, readOnly } from '../transactions.js';
import { readRowPage } from './row-pages.js';
import { countRows, type RowSearch } from './row-search.js';
import { findPageEnds, insertPageEnds, insertScroll, type Scroll, useScroll } from './scrolls.repository.js';

export interface PageQuery {
  readonly tableId: string;
  readonly filters: readonly Filter[];
  /** A hash of the filters and the smartlist: a scroll is bound to them. */
  readonly fingerprint: Buffer;
  readonly page: number;
  /** In milliseconds since 1970. */
  readonly deadline: number;
}

export interface Page {
  readonly scroll: Scroll;
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
}

/** How many rows may start to match within a page after it was first read. */
const maxJoining = 1_000;

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

  /** Count, snapshot and page are of one moment. */
  private beginInSnapshot(query: PageQuery, id: string, perPage: number): Promise<Page> {
    return inSnapshot(this.database, async (transaction, snapshot) => {
      const { tableId, filters, fingerprint } = query;
      await limitTime(transaction, query);
      const count = await countRows(transaction, tableId, filters);
      const scroll: Scroll = { id, tableId, fingerprint, snapshot, perPage, ...count };
      if ((await transaction.run(insertScroll, scroll)) > 0) return this.read(transaction, scroll, query);
      // An earlier run of the same request started the scroll.
      return this.read(transaction, (await useScroll(transaction, id, tableId)) ?? scroll, query);
    });
  }

  private async read(transaction: Statements, scroll: Scroll, query: PageQuery): Promise<Page> {
    const { page, tableId, filters } = query;
    const { perPage, snapshot, total, bounded } = scroll;
    const search: RowSearch = { tableId, filters, snapshot };
    const { before, end } = await findPageEnds(transaction, scroll.id, page);
    const beyond = !bounded && (page - 1) * perPage >= total;
    if (beyond && before.page !== page - 1) return { scroll, rows: [], hasNext: false };
    const skipped = (page - 1 - before.page) * perPage;
    // If the end of the previous page is unknown, the last row of that page is read as well.
    const extra = skipped > 0 ? 1 : 0;
    const known = end?.page === page ? end : undefined;
    await limitTime(transaction, query);
    const found = await readRowPage(transaction, search, scroll, {
      after: before.lastId,
      upTo: end?.lastId,
      skip: skipped - extra,
      limit: extra + perPage + (known ? maxJoining : 1),
    });
    // A page whose end is known keeps all of its rows, also new matches: no other page would have them.
    const rows = known ? found.slice(extra) : found.slice(extra, extra + perPage);
    const [preceding, last] = [extra > 0 ? found[0] : undefined, rows.at(-1)];
    const ends = [
      ...(preceding && rows.length > 0 ? [{ page: page - 1, lastId: preceding.id }] : []),
      ...(last && !known ? [{ page, lastId: last.id }] : []),
    ];
    if (ends.length > 0) await transaction.run(insertPageEnds, scroll.id, ends);
    if (page * perPage < total) return { scroll, rows, hasNext: true };
    if (!known) return { scroll, rows, hasNext: found.length > extra + perPage || end !== undefined };
    const following = { after: known.lastId, upTo: undefined, skip: 0, limit: 1 };
    return { scroll, rows, hasNext: (await readRowPage(transaction, search, scroll, following)).length > 0 };
  }
}

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
