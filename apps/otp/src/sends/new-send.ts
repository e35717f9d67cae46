import { charge, lockWallets, spendError } from '@gangan/billing';
import { type Channel, command, type Sql, sql, type SqlRunner } from '@gangan/database';
import { dueAfter, leaseGraceMs } from '@gangan/leases';
import type { AppError } from '@gangan/protocol';
import { checkSendLimits, countSends, isLimited, type SendLimits } from './send-limits.js';

/** A further message with the token of an OTP. */
export interface NewSend {
  /** The id of the delivery, to which the send is charged. */
  readonly id: string;
  readonly organisationId: string;
  readonly otpId: string;
  readonly recipient: string;
  readonly recipientGiven: string;
  readonly channel: Channel;
  readonly sealedBody: Buffer;
  readonly pages: number;
  readonly kobo: bigint;
  readonly limits: SendLimits;
}

/** Part of the charge statement. */
const insertSend = (send: NewSend): Sql => sql`
  handed_over AS (
    INSERT INTO delivery (id, organisation_id, lane, otp_id, channel, recipient, recipient_given, next_attempt_at,
      sealed_body, pages, charge_kobo)
    SELECT ${send.id}::uuid, ${send.organisationId}::uuid, 'otp', ${send.otpId}::uuid, ${send.channel}::channel,
      ${send.recipient}, ${send.recipientGiven}, ${dueAfter(leaseGraceMs)}, ${send.sealedBody}::bytea,
      ${send.pages}::int, accepted.kobo
    FROM accepted ON CONFLICT DO NOTHING
  )`;

/** The next fallback is due some time after this send. */
const storeChannel = command(
  ({ otpId, channel }: Pick<NewSend, 'otpId' | 'channel'>, left: readonly Channel[]) => sql`
    UPDATE otp SET channel = ${channel}::channel, fallback_channels = ${left}::text[]::channel[],
      due_at = least(expires_at, CASE WHEN cardinality(${left}::text[]) > 0
        THEN ${dueAfter(0)} + fallback_after * interval '1 second' END)
    WHERE id = ${otpId} AND status = 1`,
);

/**
 * Charges for a send and stores its delivery. The OTP must be locked.
 * @param left the fallback channels that are left
 * @returns the error if a limit or the balance refuses it; then nothing was changed
 */
export async function storeSend(
  transaction: SqlRunner,
  send: NewSend,
  left: readonly Channel[],
): Promise<AppError | undefined> {
  const { id: subjectId, organisationId, kobo } = send;
  if (isLimited(send)) {
    await lockWallets(transaction, [organisationId]);
    const [error] = checkSendLimits([send], await transaction.run(countSends, [send]));
    if (error) return error;
  }
  const item = { subjectId, organisationId, kobo };
  const [result] = await charge(transaction, 'otp', [item], insertSend(send));
  if (!result?.ok) return spendError(kobo, result ?? { ok: false, available: 0n });
  await transaction.run(storeChannel, send, left);
  return undefined;
}
