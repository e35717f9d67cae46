import { sql } from './sql/statement.js';

/** Undelivered messages with one of these codes are refunded. Providers map the codes of their carriers to them. */
export const refundableCodes = ['dnd', 'window_closed', 'provider_unavailable'] as const;

/** The predicate of `delivery_unanswered_idx`, which serves only statements that repeat it. */
const isIndexed = sql`NOT refunded AND resolution IS NULL AND (
  state = 'submitting' AND lease_holder IS NULL
  OR state = 'expired' AND error_code = 'no_answer'
  OR state = 'undelivered' AND unanswered_by IS NOT NULL)`;

/** The outcome is unknown, and it is no OTP that has arrived: its token was entered, and no other delivery has it. */
const isUnknown = sql`(state <> 'undelivered' OR error_code = ANY (${refundableCodes}::text[])) AND NOT coalesce((
  SELECT otp.status = 2 AND (
    SELECT count(*) = 1 FROM delivery AS sent WHERE sent.otp_id = otp.id AND sent.otp_id IS NOT NULL)
  FROM otp WHERE otp.id = delivery.otp_id LIMIT 1), false)`;

/**
 * A delivery that a provider may have accepted, that is still charged, and about which no operator has decided: it waits
 * for its report, has ended without one, or would have been refunded if another provider could not have it. The function
 * `lock_unanswered` has the same condition.
 */
export const isUnanswered = sql`(${isIndexed} AND ${isUnknown})`;

/** Selects the oldest unanswered deliveries, in the place of the table. */
export const oldestUnanswered = (limit: number) => sql`(
  SELECT delivery.* FROM (
    SELECT * FROM delivery WHERE ${isIndexed} ORDER BY created_at LIMIT ${limit}) AS delivery
  WHERE ${isUnknown}) AS delivery`;
