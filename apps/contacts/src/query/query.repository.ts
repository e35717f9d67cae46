import { Database, sql, sqlFailure, sqlState, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { queryTooSlow } from '../contacts.errors.js';
import { reading } from '../reading.js';
import type { Row } from '../rows/row.js';
import type { Filter } from '../filters/filter.js';
import { atOneMoment } from './moment.js';
import { pageRows } from './page-rows.js';
import { countRows, type Search } from './row-search.js';
import { keepEnds, keepScroll, type Scroll, surroundingsOf, useScroll } from './scrolls.repository.js';

export interface PageWish {
  readonly tableId: string;
  readonly filters: readonly Filter[];
  /** Of the filters and what else a scroll is bound to. */
  readonly fingerprint: Buffer;
  readonly page: number;
  /** When nobody waits for the answer any longer, in milliseconds since 1970. */
  readonly until: number;
}

export interface Page {
  readonly scroll: Scroll;
  readonly rows: readonly Row[];
  readonly hasNext: boolean;
}

/** So many rows may come to match within a page that was visited, besides those it had. */
const mostJoining = 1_000;

/** `query_canceled`: the statement took longer than it may. */
const cancelled = '57014';

/** No statement goes on when nobody waits for it. */
async function hurry(transaction: Statements, { until }: PageWish): Promise<void> {
  const left = Math.max(1, Math.floor(until - Date.now()));
  await transaction.query(sql`SELECT set_config('statement_timeout', ${String(left)}, true)`);
}

@Injectable()
export class QueryRepository {
  constructor(private readonly database: Database) {}

  begin(wish: PageWish, id: string, perPage: number): Promise<Page> {
    return inTime(
      this.beginNow(wish, id, perPage).catch((error: unknown) => {
        // The same query, begun by another worker, was written down since this moment: from the next one it is seen.
        if (sqlFailure(error) === 'conflict') return this.beginNow(wish, id, perPage);
        throw error;
      }),
    );
  }

  /** Nothing when the scroll is not there, has ended, or is one of another table, other filters or pages of another size. */
  resume(wish: PageWish, id: string, perPage: number | undefined): Promise<Page | undefined> {
    return inTime(
      this.database.transaction(async (transaction) => {
        const scroll = await useScroll(transaction, id, wish.tableId);
        if (!scroll?.fingerprint.equals(wish.fingerprint)) return undefined;
        if (perPage !== undefined && perPage !== scroll.perPage) return undefined;
        return this.read(transaction, scroll, wish);
      }),
    );
  }

  /** Count, snapshot and page are of one moment. */
  private beginNow(wish: PageWish, id: string, perPage: number): Promise<Page> {
    return atOneMoment(this.database, async (transaction, snapshot) => {
      const { tableId, filters, fingerprint } = wish;
      await hurry(transaction, wish);
      const count = await countRows(transaction, tableId, filters);
      const scroll: Scroll = { id, tableId, fingerprint, snapshot, perPage, count };
      if (await keepScroll(transaction, scroll)) return this.read(transaction, scroll, wish);
      // It was begun before, and its answer was lost.
      return this.read(transaction, (await useScroll(transaction, id, tableId)) ?? scroll, wish);
    });
  }

  private async read(transaction: Statements, scroll: Scroll, wish: PageWish): Promise<Page> {
    const { page, tableId, filters } = wish;
    const { perPage, count, snapshot } = scroll;
    const search: Search = { tableId, filters, snapshot };
    const { before, end } = await surroundingsOf(transaction, scroll.id, page);
    const beyond = !count.bounded && (page - 1) * perPage >= count.total;
    if (beyond && before.page !== page - 1) return { scroll, rows: [], hasNext: false };
    const skipped = (page - 1 - before.page) * perPage;
    // The row before the page, where that is not known to be the last of another.
    const ahead = skipped > 0 ? 1 : 0;
    const own = end?.page === page ? end : undefined;
    await hurry(transaction, wish);
    const found = await pageRows(transaction, search, count, {
      after: before.lastId,
      upTo: end?.lastId,
      skip: skipped - ahead,
      limit: ahead + perPage + (own ? mostJoining : 1),
    });
    // Rows that came to match push none out of a page whose end is known: no other page would have them.
    const rows = own ? found.slice(ahead) : found.slice(ahead, ahead + perPage);
    const [preceding, last] = [ahead > 0 ? found[0] : undefined, rows.at(-1)];
    await keepEnds(transaction, scroll.id, [
      ...(preceding && rows.length > 0 ? [{ page: page - 1, lastId: preceding.id }] : []),
      ...(last && !own ? [{ page, lastId: last.id }] : []),
    ]);
    if (page * perPage < count.total) return { scroll, rows, hasNext: true };
    if (!own) return { scroll, rows, hasNext: found.length > ahead + perPage || end !== undefined };
    const behind = { after: own.lastId, upTo: undefined, skip: 0, limit: 1 };
    return { scroll, rows, hasNext: (await pageRows(transaction, search, count, behind)).length > 0 };
  }
}

const inTime = <T>(page: Promise<T>): Promise<T> =>
  reading(
    page.catch((error: unknown) => {
      throw sqlState(error) === cancelled ? queryTooSlow(error) : (error as Error);
    }),
  );
