import { type Database, type RowOf, sql, statement, t } from '@gangan/database';
import { convertMicros } from '@gangan/providers';
import { daysOf, type IdRange, type Month } from './month.js';

/** Deliveries of one organisation whose last attempt was made on one route, at one provider. Sums of `bigint` are texts. */
const sumDeliveries = statement(
  {
    organisationId: t.uuid,
    routeId: t.nullable(t.uuid),
    provider: t.nullable(t.text),
    deliveries: t.bigint,
    chargedKobo: t.text,
    refundedKobo: t.text,
  },
  ({ first, end }: IdRange) => sql`
    SELECT organisation_id AS "organisationId", last.route_id AS "routeId", provider, count(*) AS deliveries,
      sum(charge_kobo)::text AS "chargedKobo",
      coalesce(sum(charge_kobo) FILTER (WHERE refunded), 0)::text AS "refundedKobo"
    FROM delivery JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    LEFT JOIN LATERAL (
      SELECT route_id FROM delivery_attempt WHERE delivery_id = delivery.id ORDER BY attempt DESC LIMIT 1) last ON true
    WHERE delivery.id >= ${first}::uuid AND delivery.id < ${end}::uuid
    GROUP BY organisation_id, last.route_id, provider`,
  { samples: [[{ first: '', end: '' }]] },
);

/** Attempts that a provider may have charged for. Those without a currency have no known cost. */
const sumCosts = statement(
  {
    organisationId: t.uuid,
    routeId: t.nullable(t.uuid),
    provider: t.text,
    currency: t.nullable(t.text),
    attempts: t.bigint,
    micros: t.nullable(t.text),
  },
  ({ first, end }: IdRange) => sql`
    SELECT organisation_id AS "organisationId", route_id AS "routeId", delivery_attempt.provider,
      cost_currency AS currency, count(*) AS attempts, sum(cost_micros)::text AS micros
    FROM delivery_attempt JOIN delivery ON delivery.id = delivery_id
    JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    WHERE delivery_id >= ${first}::uuid AND delivery_id < ${end}::uuid
      AND coalesce(outcome, 'unknown') IN ('accepted', 'unknown') AND delivery_attempt.provider <> 'simulator'
    GROUP BY organisation_id, route_id, delivery_attempt.provider, cost_currency`,
  { samples: [[{ first: '', end: '' }]] },
);

export type DeliverySum = RowOf<typeof sumDeliveries>;
export type CostSum = RowOf<typeof sumCosts>;

/** What one organisation paid for messages on one route to one provider, and what the provider charged. In millionths. */
export interface Margin {
  readonly organisationId: string;
  /** Empty if none is known. */
  readonly routeId: string;
  /** Empty if no provider was tried. */
  readonly provider: string;
  deliveries: bigint;
  charged: bigint;
  refunded: bigint;
  /** By currency. */
  readonly costs: Map<string, bigint>;
  /** Attempts that may have been charged, whose cost is not known. */
  unknown: bigint;
}

const microsPerKobo = 10_000n;

/** Adds up sums. Exact: every amount is a whole number of millionths. */
export class Margins {
  private readonly rows = new Map<string, Margin>();

  addDeliveries({ deliveries, chargedKobo, refundedKobo, ...of }: DeliverySum): void {
    const row = this.rowOf(of);
    row.deliveries += deliveries;
    row.charged += BigInt(chargedKobo) * microsPerKobo;
    row.refunded += BigInt(refundedKobo) * microsPerKobo;
  }

  addCosts({ currency, attempts, micros, ...of }: CostSum): void {
    const row = this.rowOf(of);
    if (currency === null || micros === null) row.unknown += attempts;
    else row.costs.set(currency, (row.costs.get(currency) ?? 0n) + BigInt(micros));
  }

  get all(): readonly Margin[] {
    return [...this.rows.values()];
  }

  private rowOf({ organisationId, routeId, provider }: Pick<DeliverySum, GroupKey>): Margin {
    const key = `${organisationId} ${routeId} ${provider}`;
    const known = this.rows.get(key);
    if (known) return known;
    const row: Margin = { ...none(), organisationId, routeId: routeId ?? '', provider: provider ?? '' };
    this.rows.set(key, row);
    return row;
  }
}

type GroupKey = 'organisationId' | 'routeId' | 'provider';

const none = (): Omit<Margin, GroupKey> => ({
  deliveries: 0n,
  charged: 0n,
  refunded: 0n,
  unknown: 0n,
  costs: new Map(),
});

export const marginGroups = ['route', 'provider'] as const;

/** One margin for each organisation and route, or for each organisation and provider. */
export function groupMargins(rows: readonly Margin[], by: (typeof marginGroups)[number]): Margin[] {
  const groups = new Map<string, Margin[]>();
  for (const row of rows) {
    const key = `${row.organisationId} ${by === 'route' ? row.routeId : row.provider}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((own) => {
    const { organisationId = '', routeId = '', provider = '' } = own[0] ?? {};
    return { ...sumOf(own), organisationId, routeId, provider };
  });
}

export const sumOf = (rows: readonly Margin[]): Margin => {
  const total: Margin = { ...none(), organisationId: '', routeId: '', provider: '' };
  for (const row of rows) {
    total.deliveries += row.deliveries;
    total.charged += row.charged;
    total.refunded += row.refunded;
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
    for (const row of await database.run(sumDeliveries, range)) margins.addDeliveries(row);
    for (const row of await database.run(sumCosts, range)) margins.addCosts(row);
    onDay(index + 1, days.length);
  }
  return margins.all;
}
