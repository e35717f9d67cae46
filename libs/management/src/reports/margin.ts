import type { Database } from '@gangan/database';
import { convertMicros, microsPerKobo } from '@gangan/providers';
import { labelOf, withAccount } from '../organisations/find-organisation.js';
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

/** What customers paid, and what providers charged, in millionths. Exact: every amount is a whole number of them. */
export interface MarginTotal {
  /** Deliveries, purchases, or lookups that were paid for. */
  readonly count: bigint;
  readonly charged: bigint;
  readonly refunded: bigint;
  /** By currency. */
  readonly costs: ReadonlyMap<string, bigint>;
  /** Attempts whose outcome is not known and that were made again. */
  readonly repeated: bigint;
  /** Attempts that may have been charged, whose cost is not known. */
  readonly unknown: bigint;
}

/** The margin of one organisation for a service on one route to one provider. */
export interface Margin extends MarginTotal {
  readonly organisationId: string;
  readonly service: MarginService;
  /** The id of the route of messages, the network of airtime; empty if none is known. */
  readonly route: string;
  /** Empty if no provider was tried, and for lookups. */
  readonly provider: string;
}

const nothing: MarginTotal = {
  count: 0n,
  charged: 0n,
  refunded: 0n,
  costs: new Map(),
  repeated: 0n,
  unknown: 0n,
};

const placeOf = (service: MarginService, { organisationId, route, provider }: RevenueSum | CostSum) => ({
  organisationId,
  service,
  route: route ?? '',
  provider: provider ?? '',
});

export const marginOfRevenue = (service: MarginService, row: RevenueSum): Margin => ({
  ...nothing,
  ...placeOf(service, row),
  count: row.count,
  charged: BigInt(row.chargedKobo) * microsPerKobo,
  refunded: BigInt(row.refundedKobo) * microsPerKobo,
});

export function marginOfCosts(service: MarginService, row: CostSum): Margin {
  const { currency, micros, attempts, repeated } = row;
  const isKnown = currency !== null && micros !== null;
  const cost = isKnown ? { costs: new Map([[currency, BigInt(micros)]]) } : { unknown: attempts };
  return { ...nothing, ...placeOf(service, row), repeated, ...cost };
}

export const marginGroups = ['route', 'provider'] as const;

/** One margin for each organisation and service, and what else they are grouped by. */
export function groupMargins(
  rows: readonly Margin[],
  by: readonly (typeof marginGroups)[number][],
): Margin[] {
  const groups = new Map<string, Margin>();
  for (const row of rows) {
    const key = [row.organisationId, row.service, ...by.map((name) => row[name])].join(' ');
    const before = groups.get(key);
    groups.set(key, before ? { ...before, ...sumOf([before, row]) } : row);
  }
  return [...groups.values()];
}

export function sumOf(rows: readonly MarginTotal[]): MarginTotal {
  const sum = (name: Exclude<keyof MarginTotal, 'costs'>) =>
    rows.reduce((total, row) => total + row[name], 0n);
  const costs = new Map<string, bigint>();
  for (const [currency, micros] of rows.flatMap((row) => [...row.costs]))
    costs.set(currency, (costs.get(currency) ?? 0n) + micros);
  return {
    count: sum('count'),
    charged: sum('charged'),
    refunded: sum('refunded'),
    costs,
    repeated: sum('repeated'),
    unknown: sum('unknown'),
  };
}

/**
 * The costs in naira, and those in currencies that have no rate.
 * @param rates naira for one unit of a currency, in millionths
 */
export function inNaira(costs: ReadonlyMap<string, bigint>, rates: ReadonlyMap<string, bigint>) {
  const foreign: { readonly currency: string; readonly micros: bigint }[] = [];
  let naira = costs.get('NGN') ?? 0n;
  for (const [currency, micros] of [...costs].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const rate = rates.get(currency);
    if (currency === 'NGN') continue;
    if (rate === undefined) foreign.push({ currency, micros });
    else naira += convertMicros(micros, rate);
  }
  return { naira, foreign };
}

const sums = [
  ['message', sumDeliveries, sumAttempts],
  ['airtime', sumPurchases, sumPurchaseCosts],
  ['lookup', sumLookups, sumLookupCosts],
] as const;

/** Reads a month day by day, in short statements, so that little is in memory. */
export async function readMargins(
  database: Database,
  month: Month,
  onProgress: (progress: { readonly days: number; readonly of: number }) => void,
): Promise<readonly Margin[]> {
  let margins: Margin[] = [];
  const days = daysOf(month);
  for (const [index, range] of days.entries()) {
    for (const [service, revenue, costs] of sums) {
      const paid = await database.run(revenue, range);
      const spent = await database.run(costs, range);
      margins.push(...paid.map((row) => marginOfRevenue(service, row)));
      margins.push(...spent.map((row) => marginOfCosts(service, row)));
    }
    margins = groupMargins(margins, marginGroups);
    onProgress({ days: index + 1, of: days.length });
  }
  return margins;
}

/** The labels of the organisations of margins, and the routes that exist, by id. */
export async function findMarginNames(database: Database, margins: readonly Margin[]) {
  const ids = [...new Set(margins.map(({ organisationId }) => organisationId))];
  const where = { id: { in: ids } };
  const organisations = await database.organisation.findMany({ where, ...withAccount.organisation });
  const routes = await database.route.findMany();
  return {
    labels: new Map(organisations.map((organisation) => [organisation.id, labelOf(organisation)])),
    routes: new Map(routes.map((route) => [route.id, route])),
  };
}
