import { failedDeliveryStatuses } from '@gangan/contracts';
import { type Sql, sql } from '@gangan/database';

/**
 * When the delivery of the row of `otp` in scope ended in vain, if the OTP had not ended by then; otherwise null.
 * Messaging tells of it by an event too, but an event may be lost, and what was given back must not be verified.
 */
export const givenUpAt: Sql = sql`(
  SELECT delivery.updated_at FROM delivery
  WHERE delivery.id = otp.id AND otp.status = 1 AND delivery.state::text = ANY (${[...failedDeliveryStatuses]}::text[])
    AND delivery.updated_at < otp.expires_at LIMIT 1)`;
