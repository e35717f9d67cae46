import { dailyLimitReached } from '@gangan/billing';
import { type RowOf, sql, statement, t } from '@gangan/database';
import type { AppError } from '@gangan/protocol';

interface LimitedPurchase {
  readonly id: string;
  readonly organisationId: string;
  readonly recipient: string;
  readonly kobo: bigint;
}

/**
 * What was spent today on airtime for the recipient of each purchase, in the order of `purchases`, without what was
 * refunded. A recipient is summed once, however many purchases of the batch it gets. The day is that of the reservation in
 * the ledger. `created_at` comes from the clock of a gateway, and a repeated request has that of the first one, at most a day
 * before; so the ledger is read for what was created before the first hour of the day had passed.
 */
export const sumPerRecipient = statement(
  {
    /** The purchase was stored before: the request runs again and is not counted again. */
    isStored: t.bool,
    spent: t.bigint,
    /** NULL if there is no limit. */
    limit: t.nullable(t.bigint),
  },
  (purchases: readonly LimitedPurchase[], defaultNaira: number) => {
    const organisations = purchases.map(({ organisationId }) => organisationId);
    const recipients = purchases.map(({ recipient }) => recipient);
    return sql`
    WITH summed AS MATERIALIZED (
      SELECT one.organisation_id, one.recipient, wallet.kobo, bought.spent
      FROM (SELECT DISTINCT given.organisation_id, given.recipient
        FROM unnest(${organisations}::uuid[], ${recipients}::text[]) AS given (organisation_id, recipient)) one
      CROSS JOIN LATERAL (
        SELECT nullif(coalesce(airtime_daily_spend_per_recipient_kobo, ${defaultNaira}::bigint * 100), 0) AS kobo,
          greatest(spent_on, (clock_timestamp() AT TIME ZONE 'UTC')::date) AS day
        FROM organisation JOIN ledger_account ON organisation_id = organisation.id AND kind = 'wallet'
        WHERE organisation.id = one.organisation_id LIMIT 1) wallet
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(amount_kobo), 0)::bigint AS spent
        FROM airtime_purchase purchase
        WHERE purchase.organisation_id = one.organisation_id AND purchase.recipient = one.recipient
          AND purchase.created_at > (wallet.day - interval '25 hours') AT TIME ZONE 'UTC'
          AND NOT purchase.refunded AND wallet.kobo IS NOT NULL
          AND (purchase.created_at >= (wallet.day + interval '1 hour') AT TIME ZONE 'UTC'
            OR (SELECT spent_on FROM ledger_movement
                WHERE subject_id = purchase.id AND kind = 'reserve' LIMIT 1) = wallet.day)) bought)
    SELECT EXISTS (SELECT FROM airtime_purchase WHERE id = asked.id) AS "isStored", summed.spent, summed.kobo AS limit
    FROM unnest(${purchases.map(({ id }) => id)}::uuid[], ${organisations}::uuid[], ${recipients}::text[])
      WITH ORDINALITY AS asked (id, organisation_id, recipient, position)
    JOIN summed ON summed.organisation_id = asked.organisation_id AND summed.recipient = asked.recipient
    ORDER BY asked.position`;
  },
  { samples: [[[], 0]] },
);

/**
 * Checks the purchases of a batch one after the other; an accepted one counts for those after it. Returns the error of
 * each, or `undefined`. The wallets of the organisations must be locked.
 */
export function checkRecipientLimits(
  purchases: readonly LimitedPurchase[],
  sums: readonly RowOf<typeof sumPerRecipient>[],
): (AppError | undefined)[] {
  const accepted = new Map<string, bigint>();
  return purchases.map(({ id, organisationId, recipient, kobo }, index) => {
    const found = sums[index];
    if (!found) throw new Error(`There is no sum for purchase ${id}`);
    if (found.isStored || found.limit === null) return undefined;
    const key = `${organisationId} ${recipient}`;
    const before = accepted.get(key) ?? 0n;
    const left = found.limit - found.spent - before;
    if (kobo <= left) {
      accepted.set(key, before + kobo);
      return undefined;
    }
    const limit = {
      name: 'airtime_daily_spend_per_recipient',
      kobo: found.limit,
      left: left > 0n ? left : 0n,
    };
    return dailyLimitReached(limit, kobo);
  });
}
