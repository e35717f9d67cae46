import type { PricedService } from '@gangan/database';

/** What the price of a message may depend on: its category, or that it is an OTP. */
export const priceCategories = ['transactional', 'promotional', 'otp'] as const;

export type PriceCategory = (typeof priceCategories)[number];

/** The price of numbers that start with `prefix`. */
export interface PriceRow {
  readonly service: PricedService;
  /** The category that the price is for; empty for every category. */
  readonly category: PriceCategory | '';
  /** The first international digits of the numbers; empty for every number. */
  readonly prefix: string;
  readonly kobo: bigint;
}

/** The prices of one service and category, by prefix. */
export class PriceTable {
  private readonly maxPrefixLength: number = 0;
  /** The highest price of the table; undefined if it has none. */
  readonly highest: bigint | undefined;

  constructor(readonly prices: ReadonlyMap<string, bigint>) {
    for (const [prefix, kobo] of prices) {
      this.maxPrefixLength = Math.max(this.maxPrefixLength, prefix.length);
      if (this.highest === undefined || kobo > this.highest) this.highest = kobo;
    }
  }

  /** The price of the longest prefix that the number starts with. Undefined if there is none: nothing can be sent there. */
  priceOf(e164: string): bigint | undefined {
    for (let length = this.maxPrefixLength; length >= 0; length -= 1) {
      const price = this.prices.get(e164.slice(1, length + 1));
      if (price !== undefined) return price;
    }
    return undefined;
  }
}

/** Finds prices by the longest prefix. Of two prices for one prefix, that of the category applies. */
export class PriceList {
  private readonly tables = new Map<string, PriceTable>();

  constructor(readonly rows: readonly PriceRow[]) {}

  /** @param category of a message; lookups have none */
  tableOf(service: PricedService, category: PriceRow['category'] = ''): PriceTable {
    const key = `${service} ${category}`;
    const known = this.tables.get(key);
    if (known) return known;
    const rowsOf = (wanted: PriceRow['category']) =>
      this.rows.filter((row) => row.service === service && row.category === wanted);
    // Later entries replace earlier ones.
    const rows = [...rowsOf(''), ...(category === '' ? [] : rowsOf(category))];
    const table = new PriceTable(new Map(rows.map(({ prefix, kobo }) => [prefix, kobo])));
    this.tables.set(key, table);
    return table;
  }
}

/**
 * The prices of an organisation, in the order of the list. Its own price counts for every number and category that it
 * matches, even if the list has a longer prefix.
 */
export function overridePrices(list: readonly PriceRow[], own: readonly PriceRow[]): readonly PriceRow[] {
  if (own.length === 0) return list;
  const owned = new PriceList(own);
  const merged = new Map<string, PriceRow>();
  const add = ({ service, category, prefix, kobo }: PriceRow): void => {
    const key = `${service} ${category} ${prefix}`;
    if (!merged.has(key)) merged.set(key, { service, category, prefix, kobo });
  };
  own.forEach(add);
  for (const row of list) {
    const ownPrice = (category: PriceRow['category']): bigint | undefined =>
      owned.tableOf(row.service, category).priceOf(`+${row.prefix}`);
    if (ownPrice(row.category) !== undefined) continue;
    add(row);
    // The listed price stays for the other categories, and must not hide a shorter own prefix.
    for (const category of row.category === '' ? priceCategories : []) {
      const kobo = ownPrice(category);
      if (kobo !== undefined) add({ ...row, category, kobo });
    }
  }
  return [...merged.values()].toSorted(comparePrices);
}

const services: readonly PricedService[] = ['sms', 'whatsapp', 'lookup'];

const comparePrices = (one: PriceRow, other: PriceRow): number =>
  services.indexOf(one.service) - services.indexOf(other.service) ||
  compare(one.prefix, other.prefix) ||
  compare(one.category, other.category);

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
