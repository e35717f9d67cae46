import type { PricedService } from '@gangan/database';
import type { PriceRow } from './prices.js';

export class PriceList {
  private readonly services = new Map<PricedService, Map<string, bigint>>();
  private readonly maxPrefixLength: number;

  constructor(readonly rows: readonly PriceRow[]) {
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

/**
 * The prices of an organisation, in the order of the list. Its own price counts for every number that it matches, even if
 * the list has a longer prefix.
 */
export function overridePrices(list: readonly PriceRow[], own: readonly PriceRow[]): readonly PriceRow[] {
  if (own.length === 0) return list;
  const isOverridden = ({ service, prefix }: PriceRow): boolean =>
    own.some((each) => each.service === service && prefix.startsWith(each.prefix));
  const rows = [...list.filter((row) => !isOverridden(row)), ...own];
  return rows
    .map(({ service, prefix, kobo }) => ({ service, prefix, kobo }))
    .toSorted(
      (one, other) => services.indexOf(one.service) - services.indexOf(other.service) || compare(one, other),
    );
}

const services: readonly PricedService[] = ['sms', 'whatsapp', 'lookup'];

const compare = (one: PriceRow, other: PriceRow): number => (one.prefix < other.prefix ? -1 : 1);
