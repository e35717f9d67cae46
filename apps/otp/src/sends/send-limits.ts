import { type RowOf, type Sql, sql, statement, t } from '@gangan/database';
import type { AppError } from '@gangan/protocol';
import type { OrganisationRules } from '../organisation-rules.js';
import { prefixSendsUsedUp, recipientSendsUsedUp } from '../otp.errors.js';

export type SendLimits = Pick<OrganisationRules, 'sendsPerRecipient' | 'sendsPerPrefix'>;

/** A message with a token: the first of an OTP or a further one. */
interface LimitedSend {
  /** The id of the delivery. */
  readonly id: string;
  readonly organisationId: string;
  readonly recipient: string;
  readonly limits: SendLimits;
}

export const isLimited = ({ limits }: LimitedSend): boolean =>
  limits.sendsPerRecipient > 0 || limits.sendsPerPrefix > 0;

/** All but the last four digits: SMS pumping uses numbers from blocks of thousands. */
const getPrefix = ({ recipient }: LimitedSend): string => recipient.slice(0, -4);

const windowSeconds = 600;

/** If at least this share of a prefix's messages is verified, the prefix has no limit: real people use it. */
const trustedShare = 0.2;

const windowStart = sql`now() - ${windowSeconds}::int * interval '1 second'`;

/** The sends after the first to numbers with the prefix; the first of an OTP is in its row. */
const furtherSends = sql`
  FROM delivery WHERE organisation_id = asked.organisation_id AND left(recipient, -4) = asked.prefix
    AND created_at > ${windowStart} AND otp_id IS NOT NULL AND id <> otp_id`;

/** Seconds until another message may be sent; NULL while the limit is not reached (`greatest` ignores NULL). */
const secondsUntilFree = (nth: Sql): Sql =>
  sql`CASE WHEN ${nth} IS NOT NULL THEN greatest(1, ceil(extract(epoch FROM ${nth} - (${windowStart}))))::int END`;

/** Counts what the limits of sends depend on, in the order of `sends`. Limits of 0 are not counted. */
export const countSends = statement(
  {
    /** The send was stored before: the request runs again and is not counted again. */
    stored: t.bool,
    toRecipient: t.int,
    recipientWait: t.nullable(t.int),
    toPrefix: t.int,
    verifiedOfPrefix: t.int,
    prefixWait: t.nullable(t.int),
  },
  (sends: readonly LimitedSend[]) => sql`
    SELECT EXISTS (SELECT FROM delivery WHERE id = asked.id) AS stored,
      recipients.sent AS "toRecipient", ${secondsUntilFree(sql`recipients.nth`)} AS "recipientWait",
      prefixes.sent AS "toPrefix", prefixes.verified AS "verifiedOfPrefix",
      ${secondsUntilFree(sql`prefixes.nth`)} AS "prefixWait"
    FROM unnest(${sends.map(({ id }) => id)}::uuid[],
      ${sends.map(({ organisationId }) => organisationId)}::uuid[],
      ${sends.map(({ recipient }) => recipient)}::text[],
      ${sends.map(getPrefix)}::text[],
      ${sends.map(({ limits }) => limits.sendsPerRecipient)}::int[],
      ${sends.map(({ limits }) => limits.sendsPerPrefix)}::int[])
      WITH ORDINALITY AS asked (id, organisation_id, recipient, prefix, recipient_limit, prefix_limit, position)
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS sent, (array_agg(at ORDER BY at DESC))[asked.recipient_limit] AS nth
      FROM (
        SELECT placed_at AS at FROM otp WHERE organisation_id = asked.organisation_id AND recipient = asked.recipient
          AND placed_at > ${windowStart} AND asked.recipient_limit > 0
        UNION ALL
        SELECT created_at ${furtherSends} AND recipient = asked.recipient AND asked.recipient_limit > 0) send) recipients
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS sent, count(*) FILTER (WHERE status = 2)::int AS verified,
        (array_agg(at ORDER BY at DESC))[asked.prefix_limit] AS nth
      FROM (
        SELECT placed_at AS at, status FROM otp
        WHERE organisation_id = asked.organisation_id AND left(recipient, -4) = asked.prefix
          AND placed_at > ${windowStart} AND asked.prefix_limit > 0
        UNION ALL
        SELECT created_at, NULL ${furtherSends} AND asked.prefix_limit > 0) send) prefixes
    ORDER BY asked.position`,
  { samples: [[[]]] },
);

export type SendCounts = RowOf<typeof countSends>;

/**
 * Checks the sends of a batch one after the other; an accepted send counts for those after it. Returns the error of
 * each send, or `undefined`. The wallets of the organisations must be locked.
 */
export function checkSendLimits(
  sends: readonly LimitedSend[],
  counts: readonly SendCounts[],
): (AppError | undefined)[] {
  const accepted = new Map<string, number>();
  return sends.map((send, index) => {
    const counted = counts[index];
    if (!counted) throw new Error(`There are no counts for delivery ${send.id}`);
    if (counted.stored) return undefined;
    const recipient = `${send.organisationId} to ${send.recipient}`;
    const prefix = `${send.organisationId} below ${getPrefix(send)}`;
    const error = checkSend(send, {
      ...counted,
      toRecipient: counted.toRecipient + (accepted.get(recipient) ?? 0),
      toPrefix: counted.toPrefix + (accepted.get(prefix) ?? 0),
    });
    if (error) return error;
    for (const key of [recipient, prefix]) accepted.set(key, (accepted.get(key) ?? 0) + 1);
    return undefined;
  });
}

function checkSend({ limits }: LimitedSend, counts: SendCounts): AppError | undefined {
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
