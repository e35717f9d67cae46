import type { Database } from '@gangan/database';
import { convertMicros } from '@gangan/providers';
import {
  type CostSum,
  type MarginService,
  type RevenueSum,
  sumAttempts,
  sumDeliveries,
  sumLookupCosts,
  sumLookups,
  sumPurchaseCosts,
  sumPurchases,
} from './margin-sums.js';
import { daysOf, type Month } from './month.js';

/** What one organisation paid for a service on one route to one provider, and what the provider charged. In millionths. */
export interface Margin {
  readonly organisationId: string;
  readonly service: MarginService;
  /** The id of the route of messages, the network of airtime; empty if none is known. */
  readonly route: string;
  /** Empty if no provider was tried, and for lookups. */
  readonly provider: string;
  /** Deliveries, purchases, or lookups that were paid for. */
  count: bigint;
  charged: bigint;
  refunded: bigint;
  /** By currency. */
  readonly costs: Map<string, bigint>;
  /** Attempts whose outcome is not known and that were made again. */
  repeated: bigint;
  /** Attempts that may have been charged, whose cost is not known. */
  unknown: bigint;
}

const microsPerKobo = 10_000n;

/** Adds up sums. Exact: every amount is a whole number of millionths. */
export class Margins {
  private readonly rows = new Map<string, Margin>();

  addRevenue(service: MarginService, { count, chargedKobo, refundedKobo, ...of }: RevenueSum): void {
    const row = this.rowOf(service, of);
    row.count += count;
    row.charged += BigInt(chargedKobo) * microsPerKobo;
    row.refunded += BigInt(refundedKobo) * microsPerKobo;
  }

  addCosts(service: MarginService, { currency, attempts, repeated, micros, ...of }: CostSum): void {
    const row = this.rowOf(service, of);
    row.repeated += repeated;
    if (currency === null || micros === null) row.unknown += attempts;
    else row.costs.set(currency, (row.costs.get(currency) ?? 0n) + BigInt(micros));
  }

  get all(): readonly Margin[] {
    return [...this.rows.values()];
  }

  private rowOf(
    service: MarginService,
    { organisationId, route, provider }: Pick<RevenueSum, 'organisationId' | 'route' | 'provider'>,
  ): Margin {
    const key = `${organisationId} ${service} ${route} ${provider}`;
    const known = this.rows.get(key);
    if (known) return known;
    const of = { organisationId, service, route: route ?? '', provider: provider ?? '' };
    const row: Margin = { ...none(), ...of };
    this.rows.set(key, row);
    return row;
  }
}

/** Sums of any services. */
export type MarginTotal = Omit<Margin, 'organisationId' | 'service' | 'route' | 'provider'>;

const none = (): MarginTotal => ({
  count: 0n,
  charged: 0n,
  refunded: 0n,
  repeated: 0n,
  unknown: 0n,
  costs: new Map(),
});

export const marginGroups = ['route', 'provider'] as const;

/** One margin for each organisation, service and route, or for each organisation, service and provider. */
export function groupMargins(rows: readonly Margin[], by: (typeof marginGroups)[number]): Margin[] {
  const groups = new Map<string, Margin[]>();
  for (const row of rows) {
    const key = `${row.organisationId} ${row.service} ${row[by]}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((own) => {
    const [first] = own;
    return first ? [{ ...first, ...sumOf(own) }] : [];
  });
}

export const sumOf = (rows: readonly Margin[]): MarginTotal => {
  const total = none();
  for (const row of rows) {
    total.count += row.count;
    total.charged += row.charged;
    total.refunded += row.refunded;
    total.repeated += row.repeated;
    total.unknown += row.unknown;
    for (const [currency, micros] of row.costs)
      total.costs.set(currency, (total.costs.get(currency) ?? 0n) + micros);
  }
  return total;
};

/** Naira, and the costs in other currencies that have no rate. */
export interface NairaCost {
  readonly naira: bigint;
  readonly foreign: readonly { readonly currency: string; readonly micros: bigint }[];
}

/** @param rates naira for one unit of a currency, in millionths */
export function inNaira(costs: ReadonlyMap<string, bigint>, rates: ReadonlyMap<string, bigint>): NairaCost {
  const foreign: { currency: string; micros: bigint }[] = [];
  let naira = costs.get('NGN') ?? 0n;
  for (const [currency, micros] of [...costs].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const rate = rates.get(currency);
    if (currency === 'NGN') continue;
    if (rate === undefined) foreign.push({ currency, micros });
    else naira += convertMicros(micros, rate);
  }
  return { naira, foreign };
}

/** Reads a month day by day, in short statements, so that little is in memory. */
export async function readMargins(
  database: Database,
  month: Month,
  onDay: (days: number, of: number) => void,
): Promise<readonly Margin[]> {
  const margins = new Margins();
  const days = daysOf(month);
  for (const [index, range] of days.entries()) {
    for (const row of await database.run(sumDeliveries, range)) margins.addRevenue('message', row);
    for (const row of await database.run(sumAttempts, range)) margins.addCosts('message', row);
    for (const row of await database.run(sumPurchases, range)) margins.addRevenue('airtime', row);
    for (const row of await database.run(sumPurchaseCosts, range)) margins.addCosts('airtime', row);
    for (const row of await database.run(sumLookups, range)) margins.addRevenue('lookup', row);
    for (const row of await database.run(sumLookupCosts, range.day)) margins.addCosts('lookup', row);
    onDay(index + 1, days.length);
  }
  return margins.all;
}
