import { dailyLimitReached } from '@gangan/billing';
import { type RowOf, sql, statement, t } from '@gangan/database';
import type { AppError } from '@gangan/protocol';
import type { NewPurchase } from './airtime.repository.js';

type LimitedPurchase = Pick<NewPurchase, 'id' | 'organisationId' | 'recipient' | 'kobo'>;

/**
 * What was spent today on airtime for the recipient of each purchase, in the order of `purchases`, without what was
 * refunded. The day is that of the reservation in the ledger; `created_at` comes from the clock of a gateway and only
 * narrows the search.
 */
export const sumPerRecipient = statement(
  {
    /** The purchase was stored before: the request runs again and is not counted again. */
    isStored: t.bool,
    spent: t.bigint,
    /** NULL if there is no limit. */
    limit: t.nullable(t.bigint),
  },
  (purchases: readonly LimitedPurchase[], defaultNaira: number) => sql`
    SELECT EXISTS (SELECT FROM airtime_purchase WHERE id = asked.id) AS "isStored", bought.spent, wallet.kobo AS limit
    FROM unnest(${purchases.map(({ id }) => id)}::uuid[],
      ${purchases.map(({ organisationId }) => organisationId)}::uuid[],
      ${purchases.map(({ recipient }) => recipient)}::text[])
      WITH ORDINALITY AS asked (id, organisation_id, recipient, position)
    CROSS JOIN LATERAL (
      SELECT nullif(coalesce(airtime_daily_spend_per_recipient_kobo, ${defaultNaira}::bigint * 100), 0) AS kobo,
        greatest(spent_on, (clock_timestamp() AT TIME ZONE 'UTC')::date) AS day
      FROM organisation JOIN ledger_account ON organisation_id = organisation.id AND kind = 'wallet'
      WHERE organisation.id = asked.organisation_id LIMIT 1) wallet
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_kobo), 0)::bigint AS spent
      FROM airtime_purchase purchase
      WHERE purchase.organisation_id = asked.organisation_id AND purchase.recipient = asked.recipient
        AND purchase.created_at > now() - interval '3 days' AND NOT purchase.refunded AND wallet.kobo IS NOT NULL
        AND (SELECT spent_on FROM ledger_transaction
             WHERE subject_id = purchase.id AND kind = 'reserve' LIMIT 1) = wallet.day) bought
    ORDER BY asked.position`,
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
