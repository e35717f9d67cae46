import { deliveryAttempts, type RowOf, sql, statement, t } from '@gangan/database';
import type { DayRange } from './month.js';

/** What margins are added up for. */
export const marginServices = ['message', 'airtime', 'lookup'] as const;
export type MarginService = (typeof marginServices)[number];

const placeShape = {
  organisationId: t.uuid,
  /** The route of messages, the network of airtime. */
  route: t.nullable(t.text),
  provider: t.nullable(t.text),
};

/** What customers paid. Sums of `bigint` are texts. */
const revenueShape = { ...placeShape, count: t.bigint, chargedKobo: t.text, refundedKobo: t.text };

/** What providers charged. Attempts without a currency have no known cost; `repeated` counts some of the attempts. */
const costShape = {
  ...placeShape,
  currency: t.nullable(t.text),
  attempts: t.bigint,
  repeated: t.bigint,
  micros: t.nullable(t.text),
};

export type RevenueSum = RowOf<{ readonly shape: typeof revenueShape }>;
export type CostSum = RowOf<{ readonly shape: typeof costShape }>;

/** Deliveries of one organisation whose last attempt was made on one route, at one provider. */
export const sumDeliveries = statement(
  revenueShape,
  ({ first, end }: DayRange) => sql`
    SELECT organisation_id AS "organisationId", last.route_id::text AS route, provider, count(*) AS count,
      sum(charge_kobo)::text AS "chargedKobo",
      coalesce(sum(charge_kobo) FILTER (WHERE refunded), 0)::text AS "refundedKobo"
    FROM delivery JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    LEFT JOIN LATERAL (
      SELECT route_id FROM ${deliveryAttempts} AS made WHERE delivery_id = delivery.id ORDER BY attempt DESC LIMIT 1) last ON true
    WHERE delivery.id >= ${first}::uuid AND delivery.id < ${end}::uuid
    GROUP BY organisation_id, last.route_id, provider`,
);

/**
 * Attempts that a provider may have charged for. One without a known outcome, because its worker died or there was no answer,
 * may have been made again at the same provider. If the provider was asked first, it has said what became of the earlier one,
 * which costs nothing more; otherwise it may have charged for both, and the earlier one counts like the later.
 */
export const sumAttempts = statement(
  costShape,
  ({ first, end }: DayRange) => sql`
    SELECT organisation_id AS "organisationId", coalesce(made.route_id, again.route_id)::text AS route, made.provider,
      coalesce(made.cost_currency, again.cost_currency)::text AS currency, count(*) AS attempts,
      count(again.attempt) AS repeated, sum(coalesce(made.cost_micros, again.cost_micros))::text AS micros
    FROM ${deliveryAttempts} AS made JOIN delivery ON delivery.id = made.delivery_id
    JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    LEFT JOIN LATERAL (
      SELECT attempt, outcome, route_id, cost_micros, cost_currency FROM delivery_attempt later
      WHERE coalesce(made.outcome, 'unknown') = 'unknown' AND made.cost_micros IS NULL
        AND later.delivery_id = made.delivery_id AND later.provider = made.provider AND later.attempt > made.attempt
        AND later.outcome <> 'unknown'
      ORDER BY later.outcome = 'accepted' DESC, attempt LIMIT 1) known ON true
    LEFT JOIN LATERAL (
      SELECT known.attempt, known.route_id, known.cost_micros, known.cost_currency
      WHERE known.outcome = 'accepted') again ON true
    WHERE made.delivery_id >= ${first}::uuid AND made.delivery_id < ${end}::uuid
      AND coalesce(made.outcome, 'unknown') IN ('accepted', 'unknown') AND made.provider <> 'simulator'
      AND (known.attempt IS NULL OR NOT EXISTS (
        SELECT FROM provider WHERE provider.name = made.provider AND settings ? 'ask'))
    GROUP BY organisation_id, coalesce(made.route_id, again.route_id), made.provider, coalesce(made.cost_currency, again.cost_currency)`,
);

/** Bought, or without an outcome yet; also what was delivered after its refund, as our loss. */
const purchases = ({ first, end }: DayRange) => sql`
  SELECT purchase.organisation_id, network, provider, amount_kobo, cost_micros, cost_currency, state = 'success' AS is_paid,
    loss.id IS NOT NULL AS is_loss
  FROM airtime_purchase purchase JOIN organisation ON organisation.id = purchase.organisation_id AND mode = 'live'
  LEFT JOIN ledger_movement loss ON loss.subject_id = purchase.id AND loss.kind = 'loss'
  WHERE purchase.id >= ${first}::uuid AND purchase.id < ${end}::uuid
    AND (state IN ('success', 'submitting', 'sent', 'error') OR loss.id IS NOT NULL)`;

/** A purchase without an outcome is not paid for: its money is reserved. */
export const sumPurchases = statement(
  revenueShape,
  (range: DayRange) => sql`
    SELECT organisation_id AS "organisationId", network AS route, provider, count(*) AS count,
      coalesce(sum(amount_kobo) FILTER (WHERE is_paid OR is_loss), 0)::text AS "chargedKobo",
      coalesce(sum(amount_kobo) FILTER (WHERE is_loss), 0)::text AS "refundedKobo"
    FROM (${purchases(range)}) bought GROUP BY organisation_id, network, provider`,
);

export const sumPurchaseCosts = statement(
  costShape,
  (range: DayRange) => sql`
    SELECT organisation_id AS "organisationId", network AS route, provider, cost_currency::text AS currency,
      count(*) AS attempts, 0::bigint AS repeated, sum(cost_micros)::text AS micros
    FROM (${purchases(range)}) bought WHERE provider <> 'simulator'
    GROUP BY organisation_id, network, provider, cost_currency`,
);

/** The ledger does not know the provider of a lookup. Free lookups are not in it. */
export const sumLookups = statement(
  revenueShape,
  ({ first, end }: DayRange) => sql`
    SELECT organisation_id AS "organisationId", NULL::text AS route, NULL::text AS provider, count(*) AS count,
      sum(kobo)::text AS "chargedKobo", '0' AS "refundedKobo"
    FROM ledger_movement paid JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    WHERE paid.id >= ${first}::uuid AND paid.id < ${end}::uuid AND paid.category = 'lookup'
      AND paid.kind IN ('charge', 'post')
    GROUP BY organisation_id`,
);

export const sumLookupCosts = statement(
  costShape,
  ({ day }: DayRange) => sql`
    SELECT organisation_id AS "organisationId", NULL::text AS route, NULL::text AS provider, nullif(currency, '') AS currency,
      sum(calls)::bigint AS attempts, 0::bigint AS repeated, sum(micros)::text AS micros
    FROM lookup_tally JOIN organisation ON organisation.id = organisation_id AND mode = 'live'
    WHERE day = ${day}::date GROUP BY organisation_id, currency`,
);
