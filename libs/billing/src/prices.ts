import { Database, type PricedService, type RowOf, sql, statement, t } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** A changed price applies everywhere after this time. */
const cacheMs = 30_000;

// On the path of every message: read as SQL, which does not load the Prisma client.
const readPrices = statement(
  { service: t.enumOf<PricedService>('priced_service'), prefix: t.text, kobo: t.bigint },
  () => sql`SELECT service, prefix, kobo FROM price ORDER BY service, prefix COLLATE "C"`,
);

/** `prefix` has international digits; the empty prefix matches every number. */
export type PriceRow = RowOf<typeof readPrices>;

/** The stored prices by service and prefix. All organisations have the same ones. */
export const listPrices = (database: Pick<Database, 'run'>): Promise<PriceRow[]> => database.run(readPrices);

/** The current prices. Concurrent callers, and later ones for 30 s, share one read of the table. */
@Injectable()
export class Prices {
  private readonly cache: LRUCache<'prices', PriceList>;

  constructor(database: Database) {
    this.cache = new LRUCache({
      max: 1,
      ttl: cacheMs,
      ttlResolution: 0,
      fetchMethod: async () => new PriceList(await database.run(readPrices)),
    });
  }

  /** The price of one page, message or lookup to this number, in kobo. */
  async priceOf(service: PricedService, e164: string): Promise<bigint> {
    return (await this.current()).priceOf(service, e164);
  }

  /** For many numbers: await the list once, then use it. */
  current(): Promise<PriceList> {
    return this.cache.forceFetch('prices');
  }

  /** Undefined if they have to be read. */
  get cached(): PriceList | undefined {
    return this.cache.get('prices');
  }
}

export class PriceList {
  private readonly services = new Map<PricedService, Map<string, bigint>>();
  private readonly maxPrefixLength: number;

  constructor(rows: readonly PriceRow[]) {
    this.maxPrefixLength = rows.reduce((max, { prefix }) => Math.max(max, prefix.length), 0);
    for (const { service, prefix, kobo } of rows) {
      const prices = this.services.get(service) ?? new Map<string, bigint>();
      this.services.set(service, prices.set(prefix, kobo));
    }
  }

  /** The price of the longest prefix that the number starts with. */
  priceOf(service: PricedService, e164: string): bigint {
    const prices = this.services.get(service);
    for (let length = this.maxPrefixLength; prices && length >= 0; length -= 1) {
      const price = prices.get(e164.slice(1, length + 1));
      if (price !== undefined) return price;
    }
    throw new Error(`There is no price for ${service}: the price list lacks the empty prefix`);
  }

  highestOf(service: PricedService): bigint {
    const prices = this.services.get(service)?.values() ?? [];
    return [...prices].reduce((highest, kobo) => (kobo > highest ? kobo : highest), 0n);
  }
}
