import { erasedNumber } from '@gangan/contracts';
import { command, sql, statement, t } from '@gangan/database';
import { isNumber, type Scope, scopeSamples } from '../search/scope.js';
import { redactAnswers } from './answers.js';
import { inOrganisation } from './deleted-rows.js';
import { eraseDeliveries, withoutNumber } from './messages.js';
import { findIn, type Source } from './source.js';

/** In the order of the index by organisation and recipient. */
const findByRecipient = (table: 'otp' | 'airtime_purchase') =>
  findIn(table, {
    order: { recipient: 'text', id: 'uuid' },
    where: (scope) => sql`${inOrganisation(scope)} AND ${isNumber('recipient', scope)}`,
  });

/** An OTP with an unfinished delivery stays: it may still be refunded. */
const lockEndedOtps = statement(
  { id: t.uuid, deliveryIds: t.array(t.uuid) },
  (ids: readonly string[]) => sql`
    SELECT id, ARRAY(SELECT id FROM delivery WHERE otp_id = otp.id AND otp_id IS NOT NULL) AS "deliveryIds" FROM otp
    WHERE id = ANY (${ids}::uuid[]) AND (status <> 1 OR due_at IS NULL) AND NOT EXISTS (
      SELECT FROM delivery WHERE otp_id = otp.id AND state IN ('queued', 'submitting', 'sent'))
    FOR UPDATE`,
);

const redactOtps = command(
  (ids: readonly string[]) => sql`
    WITH verifications AS (
      UPDATE otp_verification SET recipient = ${erasedNumber} WHERE otp_id = ANY (${ids}::uuid[]))
    UPDATE otp SET recipient = ${erasedNumber}, recipient_given = ${erasedNumber}, sealed_token = NULL
    WHERE id = ANY (${ids}::uuid[])`,
);

export const otps: Source = {
  table: 'otp',
  limit: 500,
  find: findByRecipient('otp'),
  erase: async (transaction, scope, found) => {
    const ended = await transaction.run(lockEndedOtps, found);
    const ids = ended.map(({ id }) => id);
    const sends = ended.flatMap(({ deliveryIds }) => deliveryIds);
    await transaction.run(eraseDeliveries, scope, sends);
    await redactAnswers(transaction, scope.organisationId, ids);
    return transaction.run(redactOtps, ids);
  },
};

const isSettled = sql`state IN ('success', 'failed', 'duplicate')`;

const redactPurchases = command(
  (scope: Scope, ids: readonly string[]) => sql`
    WITH top_ups AS (
      DELETE FROM simulated_top_up WHERE reference = ANY (${ids}::uuid[]) AND reference IN (
        SELECT id FROM airtime_purchase WHERE id = ANY (${ids}::uuid[]) AND ${isSettled}))
    UPDATE airtime_purchase SET recipient = ${erasedNumber}, recipient_given = ${erasedNumber},
      error_message = ${withoutNumber('error_message', scope)}, external_ref = ${withoutNumber('external_ref', scope)},
      callback_url = ${withoutNumber('callback_url', scope)}
    WHERE id = ANY (${ids}::uuid[]) AND ${isSettled}`,
  scopeSamples,
);

export const purchases: Source = {
  table: 'airtime_purchase',
  limit: 500,
  find: findByRecipient('airtime_purchase'),
  erase: async (transaction, scope, ids) => {
    await redactAnswers(transaction, scope.organisationId, ids);
    return transaction.run(redactPurchases, scope, ids);
  },
};
