import { command, type Sql, sql, unnest } from '@gangan/database';
import type { ReportedCost } from '@gangan/providers';

/** What a report says about the cost of an attempt. */
export interface AttemptCost {
  readonly id: string;
  readonly reportedAttempt: number;
  readonly cost: ReportedCost;
}

/** Whether a cost is that of the first attempt, if the delivery describes that, and none was reported before. */
export const isOwnCost = (cost: Sql): Sql => sql`(
  delivery.accepted_at IS NOT NULL AND delivery.attempt = ${cost}.reported_attempt AND delivery.cost_reported IS NOT TRUE)`;

/**
 * A common table expression, for attempts that have rows. The first report that states a cost counts, so a repeated one changes nothing. If a report shows
 * that the cost is not known, an estimate is removed.
 * @param costs a table with `id`, `reported_attempt`, `cost_micros` and `cost_currency`
 * @param ids of the deliveries in it
 */
export const storeReportedCosts = (costs: Sql, ids: readonly string[]): Sql => sql`
  priced AS (
    UPDATE delivery_attempt SET cost_micros = priced.cost_micros, cost_currency = priced.cost_currency,
      cost_reported = CASE WHEN priced.cost_micros IS NOT NULL THEN true END
    FROM ${costs} AS priced
    WHERE delivery_attempt.delivery_id = ANY (${ids}::uuid[]) AND delivery_attempt.delivery_id = priced.id
      AND delivery_attempt.attempt = priced.reported_attempt AND delivery_attempt.cost_reported IS NOT TRUE
    RETURNING delivery_attempt.delivery_id)`;

/** Stores the costs of reports that do not change their delivery. */
export const storeCosts = command((costs: readonly AttemptCost[]) => {
  const rows = costs.map(({ cost, ...of }) => ({
    ...of,
    costMicros: cost?.micros,
    costCurrency: cost?.currency,
  }));
  const ids = costs.map(({ id }) => id);
  return sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM ${unnest('given', rows, { uuid: ['id'], int: ['reportedAttempt'], bigint: ['costMicros'], text: ['costCurrency'] })}
    ), locked AS MATERIALIZED (
      SELECT given.* FROM given CROSS JOIN LATERAL (
        SELECT FROM delivery WHERE id = given.id LIMIT 1 FOR UPDATE) held
    ), ${storeReportedCosts(sql`locked`, ids)}
    UPDATE delivery SET cost_micros = locked.cost_micros, cost_currency = locked.cost_currency,
      cost_reported = CASE WHEN locked.cost_micros IS NOT NULL THEN true END
    FROM locked WHERE delivery.id = ANY (${ids}::uuid[]) AND delivery.id = locked.id AND ${isOwnCost(sql`locked`)}`;
});
