import type { PricedService } from '@gangan/database';

export interface PriceRow {
  readonly service: PricedService;
  /** International digits; the empty prefix matches every number. */
  readonly prefix: string;
  readonly kobo: bigint;
}

/** The prices of one moment. */
export class PriceList {
  private readonly services = new Map<PricedService, Map<string, bigint>>();
  private readonly longest: number;

  constructor(rows: readonly PriceRow[]) {
    this.longest = rows.reduce((longest, { prefix }) => Math.max(longest, prefix.length), 0);
    for (const { service, prefix, kobo } of rows) {
      const prices = this.services.get(service) ?? new Map<string, bigint>();
      this.services.set(service, prices.set(prefix, kobo));
    }
  }

  /** The price of the longest prefix that the number starts with. */
  priceOf(service: PricedService, e164: string): bigint {
    const prices = this.services.get(service);
    for (let length = this.longest; prices && length >= 0; length -= 1) {
      const price = prices.get(e164.slice(1, length + 1));
      if (price !== undefined) return price;
    }
    throw new Error(`There is no price for ${service}: the price list lacks the empty prefix`);
  }

  /** What no number exceeds. */
  highestOf(service: PricedService): bigint {
    const prices = this.services.get(service)?.values() ?? [];
    return [...prices].reduce((highest, kobo) => (kobo > highest ? kobo : highest), 0n);
  }
}
