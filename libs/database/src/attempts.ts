import { sql } from './sql/statement.js';

/**
 * The attempts of deliveries, in the place of a table; an attempt in progress is not among them. A first attempt that its provider accepted at
 * once has no row of its own: its delivery describes it.
 */
export const deliveryAttempts = sql`(
  SELECT delivery_id, attempt, route_id, provider, outcome, error_code, error_message, cost_micros, cost_currency,
    cost_reported, started_at, ended_at FROM delivery_attempt
  UNION ALL
  SELECT id, attempt, route_id, provider, 'accepted', NULL, NULL, cost_micros, cost_currency,
    cost_reported, submitted_at, accepted_at FROM delivery WHERE accepted_at IS NOT NULL)`;
