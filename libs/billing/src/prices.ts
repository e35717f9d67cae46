import {
  Database,
  type PricedService,
  RefreshedCache,
  type RowOf,
  sql,
  statement,
  StatementLoader,
  t,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { overridePrices, PriceList } from './price-list.js';

/** A changed price applies everywhere after this time. */
const cacheMs = 30_000;

const priceShape = { service: t.enumOf<PricedService>('priced_service'), prefix: t.text, kobo: t.bigint };

// On the path of every message: read as SQL, which does not load the Prisma client.
const readList = statement(
  priceShape,
  () => sql`SELECT service, prefix, kobo FROM price ORDER BY service, prefix COLLATE "C"`,
);

const readOwn = statement(
  { organisationId: t.uuid, ...priceShape },
  (organisationIds: readonly string[]) => sql`
    SELECT organisation_id AS "organisationId", service, prefix, kobo FROM organisation_price
    WHERE organisation_id = ANY (${organisationIds}::uuid[])`,
);

/** `prefix` has international digits; the empty prefix matches every number. */
export type PriceRow = RowOf<typeof readList>;

/** The prices of an organisation, or of all that have none of their own, by service and prefix. */
export async function listPrices(
  database: Pick<Database, 'run'>,
  organisationId?: string,
): Promise<readonly PriceRow[]> {
  const own = organisationId === undefined ? [] : await database.run(readOwn, [organisationId]);
  return overridePrices(await database.run(readList), own);
}

/** The prices of organisations, cached. */
@Injectable()
export class Prices {
  private readonly list: RefreshedCache<PriceList>;
  private readonly own: RefreshedCache<OwnPrices>;

  constructor(database: Database) {
    const loader = new StatementLoader(
      async (ids: readonly string[]) => {
        const rows = await database.run(readOwn, [...new Set(ids)]);
        const found = new Map<string, PriceRow[]>();
        for (const { organisationId, ...row } of rows)
          found.set(organisationId, [...(found.get(organisationId) ?? []), row]);
        return ids.map((id) => new OwnPrices(found.get(id) ?? []));
      },
      { readOnly: true },
    );
    this.list = new RefreshedCache(cacheMs, async () => new PriceList(await database.run(readList)));
    this.own = new RefreshedCache(cacheMs, (organisationId) => loader.load(organisationId));
  }

  /** For many numbers: await the list once, then use it. */
  async of(organisationId: string): Promise<PriceList> {
    const [list, own] = await Promise.all([this.list.get(theList), this.own.get(organisationId)]);
    return own.over(list);
  }

  /** Undefined if they have to be read. */
  cached(organisationId: string): PriceList | undefined {
    const list = this.list.cached(theList);
    return list && this.own.cached(organisationId)?.over(list);
  }
}

/** The key of the only value. */
const theList = '';

/** What one organisation pays instead of the list. Most organisations have no own prices and share the list. */
class OwnPrices {
  private merged: { readonly list: PriceList; readonly result: PriceList } | undefined;

  constructor(private readonly rows: readonly PriceRow[]) {}

  over(list: PriceList): PriceList {
    if (this.rows.length === 0) return list;
    if (this.merged?.list !== list)
      this.merged = { list, result: new PriceList(overridePrices(list.rows, this.rows)) };
    return this.merged.result;
  }
}
