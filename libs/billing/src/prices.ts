import {
  Database,
  type OrganisationMode,
  OrganisationModes,
  type PricedService,
  RefreshedCache,
  type RowOf,
  sql,
  statement,
  StatementLoader,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { overridePrices, PriceList, type PriceRow } from './price-list.js';

/** A changed price applies everywhere after this time. */
const cacheMs = 30_000;

/** Prices that were read less than this time ago are not read again for a number that has none. */
const minReadMs = 1_000;

const priceShape = {
  service: t.enumOf<PricedService>('priced_service'),
  category: t.textOf<PriceRow['category']>(),
  prefix: t.text,
  kobo: t.bigint,
};

// On the path of every message: read as SQL, which does not load the Prisma client.
const readList = statement(
  { ...priceShape, testOnly: t.bool },
  () => sql`
    SELECT service, category, prefix, kobo, test_only AS "testOnly" FROM price
    ORDER BY service, prefix COLLATE "C", category COLLATE "C"`,
);

const readOwn = statement(
  { organisationId: t.uuid, ...priceShape },
  (organisationIds: readonly string[]) => sql`
    SELECT organisation_id AS "organisationId", service, category, prefix, kobo FROM organisation_price
    WHERE organisation_id = ANY (${organisationIds}::uuid[])`,
);

/** A price of the list for all organisations, or only for those in test mode. */
export type ListedPrice = RowOf<typeof readList>;

/** Reads the price lists, by service, prefix and category. */
export const listPrices = (database: Pick<Database, 'run'>): Promise<ListedPrice[]> => database.run(readList);

/** What one organisation pays, by service, prefix and category. */
export async function pricesOf(database: Database, organisationId: string): Promise<readonly PriceRow[]> {
  const mode = await new OrganisationModes(database).of(organisationId);
  const lists = new PriceLists(await listPrices(database));
  return new OwnPrices(mode, await database.run(readOwn, [organisationId])).over(lists).rows;
}

/** The prices of organisations, cached. */
@Injectable()
export class Prices {
  private readonly lists: RefreshedCache<PriceLists>;
  private readonly own: RefreshedCache<OwnPrices>;

  constructor(database: Database) {
    const modes = new OrganisationModes(database);
    const loader = new StatementLoader(
      async (ids: readonly string[]) => {
        const rows = await database.run(readOwn, [...new Set(ids)]);
        const found = new Map<string, PriceRow[]>();
        for (const { organisationId, ...row } of rows)
          found.set(organisationId, [...(found.get(organisationId) ?? []), row]);
        return ids.map((id) => found.get(id) ?? []);
      },
      { readOnly: true },
    );
    this.lists = new RefreshedCache(cacheMs, async () => new PriceLists(await listPrices(database)));
    this.own = new RefreshedCache(cacheMs, async (organisationId) => {
      const [mode, rows] = await Promise.all([modes.of(organisationId), loader.load(organisationId)]);
      return new OwnPrices(mode, rows);
    });
  }

  /** Returns the prices of an organisation, for a caller that prices many numbers. */
  async of(organisationId: string): Promise<PriceList> {
    const [lists, own] = await Promise.all([this.lists.get(allLists), this.own.get(organisationId)]);
    return own.over(lists);
  }

  /** Returns the prices if they are cached. */
  cached(organisationId: string): PriceList | undefined {
    const lists = this.lists.cached(allLists);
    return lists && this.own.cached(organisationId)?.over(lists);
  }

  /**
   * Runs `work` with the prices of an organisation. If it finds a number without a price, it runs again with newly read
   * ones: the operator may just have set it.
   */
  async apply<T>(
    organisationId: string,
    work: (prices: PriceList) => T | Promise<T>,
    lacksPrice: (result: T) => boolean,
  ): Promise<T> {
    const prices = await this.of(organisationId);
    const result = await work(prices);
    if (!lacksPrice(result)) return result;
    const [lists, own] = await Promise.all([
      this.lists.getRecent(allLists, minReadMs),
      this.own.getRecent(organisationId, minReadMs),
    ]);
    const renewed = own.over(lists);
    return renewed === prices ? result : work(renewed);
  }
}

/** The key under which the only value is cached. */
const allLists = '';

/** The list for organisations of each mode. */
class PriceLists {
  readonly test: PriceList;
  readonly live: PriceList;

  constructor(rows: readonly ListedPrice[]) {
    this.test = new PriceList(rows);
    this.live = new PriceList(rows.filter(({ testOnly }) => !testOnly));
  }
}

/** What one organisation pays instead of the list. Most organisations have no own prices and share the list. */
class OwnPrices {
  private merged: { readonly list: PriceList; readonly result: PriceList } | undefined;

  constructor(
    private readonly mode: OrganisationMode,
    private readonly rows: readonly PriceRow[],
  ) {}

  over(lists: PriceLists): PriceList {
    const list = lists[this.mode];
    if (this.rows.length === 0) return list;
    if (this.merged?.list !== list)
      this.merged = { list, result: new PriceList(overridePrices(list.rows, this.rows)) };
    return this.merged.result;
  }
}
