import { erasedNumber } from '@gangan/contracts';
import { command, Prisma, sql, statement, t } from '@gangan/database';
import { redactAnswers } from './answers.js';
import { eraseDeliveries, withoutNumber } from './messages.js';
import { isNumber, sampleScopes, type Scope } from '../search/scope.js';
import { type Find, foundShape, type Slice, type Source } from './source.js';

const samples = sampleScopes.map((scope): [Scope, Slice] => [scope, { after: '', limit: 1 }]);

const cursorOf = (after: string) => {
  const [recipient = '', id = ''] = after.split(' ');
  return sql`(${recipient}, ${id || '00000000-0000-0000-0000-000000000000'}::uuid)`;
};

/** In the order of the index by organisation and recipient. */
const findByRecipient = (table: 'otp' | 'airtime_purchase'): Find =>
  statement(
    foundShape,
    (scope: Scope, { after, limit }: Slice) => sql`
      SELECT id::text, recipient || ' ' || id AS cursor, true AS hit FROM ${Prisma.raw(table)}
      WHERE organisation_id = ${scope.organisationId}::uuid AND ${isNumber('recipient', scope)}
        AND (recipient, id) > ${cursorOf(after)}
      ORDER BY recipient, id LIMIT ${limit}`,
    { samples },
  );

/** An OTP with an unfinished delivery stays: it may still be refunded. */
const lockEndedOtps = statement(
  { id: t.uuid },
  (ids: readonly string[]) => sql`
    SELECT id FROM otp WHERE id = ANY (${ids}::uuid[]) AND (status <> 1 OR due_at IS NULL) AND NOT EXISTS (
      SELECT FROM delivery WHERE otp_id = otp.id AND state IN ('queued', 'submitting', 'sent'))
    FOR UPDATE`,
);

const deliveriesOfOtps = statement(
  { id: t.uuid },
  (otpIds: readonly string[]) =>
    sql`SELECT id FROM delivery WHERE otp_id = ANY (${otpIds}::uuid[]) AND otp_id IS NOT NULL`,
);

const redactOtps = command(
  (ids: readonly string[]) => sql`
    UPDATE otp SET recipient = ${erasedNumber}, recipient_given = ${erasedNumber}, sealed_token = NULL
    WHERE id = ANY (${ids}::uuid[])`,
);

const redactVerifications = command(
  (otpIds: readonly string[]) => sql`
    UPDATE otp_verification SET recipient = ${erasedNumber} WHERE otp_id = ANY (${otpIds}::uuid[])`,
);

export const otps: Source = {
  table: 'otp',
  limit: 500,
  find: findByRecipient('otp'),
  erase: async (transaction, scope, found) => {
    const ids = (await transaction.run(lockEndedOtps, found)).map(({ id }) => id);
    if (ids.length === 0) return 0;
    const sends = await transaction.run(deliveriesOfOtps, ids);
    await eraseDeliveries(
      transaction,
      scope,
      sends.map(({ id }) => id),
    );
    await transaction.run(redactVerifications, ids);
    await redactAnswers(transaction, scope.organisationId, ids);
    return transaction.run(redactOtps, ids);
  },
};

const redactPurchases = command(
  (scope: Scope, ids: readonly string[]) => sql`
    UPDATE airtime_purchase SET recipient = ${erasedNumber}, recipient_given = ${erasedNumber},
      error_message = ${withoutNumber('error_message', scope)}, external_ref = ${withoutNumber('external_ref', scope)},
      callback_url = ${withoutNumber('callback_url', scope)}
    WHERE id = ANY (${ids}::uuid[]) AND state IN ('success', 'failed', 'duplicate')`,
  { samples: sampleScopes.map((scope) => [scope, []]) },
);

const deleteSimulatedTopUps = command(
  (ids: readonly string[]) => sql`
    DELETE FROM simulated_top_up WHERE reference = ANY (${ids}::uuid[]) AND reference IN (
      SELECT id FROM airtime_purchase WHERE id = ANY (${ids}::uuid[]) AND state IN ('success', 'failed', 'duplicate'))`,
);

export const purchases: Source = {
  table: 'airtime_purchase',
  limit: 500,
  find: findByRecipient('airtime_purchase'),
  erase: async (transaction, scope, ids) => {
    await transaction.run(deleteSimulatedTopUps, ids);
    await redactAnswers(transaction, scope.organisationId, ids);
    return transaction.run(redactPurchases, scope, ids);
  },
};
