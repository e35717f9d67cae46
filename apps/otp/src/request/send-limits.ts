import { type RowOf, type Sql, sql, statement, t } from '@gangan/database';
import type { AppError } from '@gangan/protocol';
import { prefixSendsUsedUp, recipientSendsUsedUp } from '../otp.errors.js';
import { getPrefix, type NewOtp } from './new-otp.js';

const windowSeconds = 600;

/** If at least this share of a prefix's OTPs is verified, the prefix has no limit: real people use it. */
const trustedShare = 0.2;

const windowStart = sql`now() - ${windowSeconds}::int * interval '1 second'`;

/** Seconds until another OTP may be sent; NULL while the limit is not reached (`greatest` ignores NULL). */
const secondsUntilFree = (nth: Sql): Sql =>
  sql`CASE WHEN ${nth} IS NOT NULL THEN greatest(1, ceil(extract(epoch FROM ${nth} - (${windowStart}))))::int END`;

/** Counts what the limits of OTPs depend on, in the order of `otps`. Limits of 0 are not counted. */
export const countSends = statement(
  {
    /** The OTP was stored before: the request runs again and is not counted again. */
    stored: t.bool,
    toRecipient: t.int,
    recipientWait: t.nullable(t.int),
    toPrefix: t.int,
    verifiedOfPrefix: t.int,
    prefixWait: t.nullable(t.int),
  },
  (otps: readonly NewOtp[]) => sql`
    SELECT EXISTS (SELECT FROM otp WHERE id = asked.id) AS stored,
      recipients.sent AS "toRecipient", ${secondsUntilFree(sql`recipients.nth`)} AS "recipientWait",
      prefixes.sent AS "toPrefix", prefixes.verified AS "verifiedOfPrefix",
      ${secondsUntilFree(sql`prefixes.nth`)} AS "prefixWait"
    FROM unnest(${otps.map(({ id }) => id)}::uuid[],
      ${otps.map(({ organisationId }) => organisationId)}::uuid[],
      ${otps.map(({ recipient }) => recipient)}::text[],
      ${otps.map(getPrefix)}::text[],
      ${otps.map(({ limits }) => limits.sendsPerRecipient)}::int[],
      ${otps.map(({ limits }) => limits.sendsPerPrefix)}::int[])
      WITH ORDINALITY AS asked (id, organisation_id, recipient, prefix, recipient_limit, prefix_limit, position)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS sent, (array_agg(placed_at ORDER BY placed_at DESC))[asked.recipient_limit] AS nth
      FROM otp WHERE organisation_id = asked.organisation_id AND recipient = asked.recipient
        AND placed_at > ${windowStart} AND asked.recipient_limit > 0) recipients
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS sent, count(*) FILTER (WHERE status = 2)::int AS verified,
        (array_agg(placed_at ORDER BY placed_at DESC))[asked.prefix_limit] AS nth
      FROM otp WHERE organisation_id = asked.organisation_id AND left(recipient, -4) = asked.prefix
        AND placed_at > ${windowStart} AND asked.prefix_limit > 0) prefixes
    ORDER BY asked.position`,
  { samples: [[[]]] },
);

export type SendCounts = RowOf<typeof countSends>;

/**
 * Checks the OTPs of a batch one after the other; an accepted OTP counts for those after it. Returns the error of
 * each OTP, or `undefined`. The wallets of the organisations must be locked.
 */
export function checkSendLimits(
  otps: readonly NewOtp[],
  counts: readonly SendCounts[],
): (AppError | undefined)[] {
  const accepted = new Map<string, number>();
  return otps.map((otp, index) => {
    const counted = counts[index];
    if (!counted) throw new Error(`There are no counts for OTP ${otp.id}`);
    if (counted.stored) return undefined;
    const recipient = `${otp.organisationId} to ${otp.recipient}`;
    const prefix = `${otp.organisationId} below ${getPrefix(otp)}`;
    const error = checkOtp(otp, {
      ...counted,
      toRecipient: counted.toRecipient + (accepted.get(recipient) ?? 0),
      toPrefix: counted.toPrefix + (accepted.get(prefix) ?? 0),
    });
    if (error) return error;
    for (const key of [recipient, prefix]) accepted.set(key, (accepted.get(key) ?? 0) + 1);
    return undefined;
  });
}

function checkOtp({ limits }: NewOtp, counts: SendCounts): AppError | undefined {
  const { sendsPerRecipient, sendsPerPrefix } = limits;
  if (sendsPerRecipient > 0 && counts.toRecipient >= sendsPerRecipient) {
    return recipientSendsUsedUp(sendsPerRecipient, counts.recipientWait ?? windowSeconds);
  }
  const trusted = counts.verifiedOfPrefix >= trustedShare * counts.toPrefix;
  if (sendsPerPrefix > 0 && counts.toPrefix >= sendsPerPrefix && !trusted) {
    return prefixSendsUsedUp(sendsPerPrefix, counts.prefixWait ?? windowSeconds);
  }
  return undefined;
}
