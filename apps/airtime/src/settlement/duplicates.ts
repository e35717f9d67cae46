import { sql, statement, type Statements, t } from '@gangan/database';
import { type ClaimedPurchase, claimedColumns, claimedShape, type Purchase } from '../purchase.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

type Group = Pick<Purchase, 'organisationId' | 'network' | 'recipient' | 'kobo' | 'productId'>;

/** The same for all purchases that can be duplicates of one another. */
export const duplicateKey = ({ organisationId, network, recipient, kobo, productId }: Group): string =>
  ['airtime', organisationId, network, recipient, kobo, ...(productId === null ? [] : [productId])].join(' ');

const tryLock = statement(
  { locked: t.bool },
  (key: string) => sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) AS locked`,
);

/**
 * The purchases of a group that match one of `asked`: bought within a day with the same reference, or within a minute
 * if one of the two has none. A failed one and a duplicate make no other one a duplicate. Without joins, it is one
 * index scan.
 */
const findMatches = statement(
  claimedShape,
  ({ organisationId, network, recipient, kobo, productId }: Group, asked: readonly Purchase[]) => sql`
    WITH asked AS MATERIALIZED (
      SELECT ref, time, tstzrange(time - interval '1 minute', time + interval '1 minute', '[]') AS minutes,
        CASE WHEN ref IS NULL THEN interval '1 minute' ELSE interval '24 hours' END AS reach
      FROM unnest(${asked.map(({ externalRef }) => externalRef)}::text[],
        ${asked.map(({ createdAt }) => createdAt)}::timestamptz[]) AS given (ref, time))
    SELECT ${claimedColumns} FROM airtime_purchase AS purchase
    WHERE organisation_id = ${organisationId} AND recipient = ${recipient}
      AND created_at >= (SELECT min(time - reach) FROM asked)
      AND created_at <= (SELECT max(time + reach) FROM asked)
      AND network = ${network} AND amount_kobo = ${kobo} AND product_id IS NOT DISTINCT FROM ${productId}::uuid
      AND state NOT IN ('failed', 'duplicate')
      AND (external_ref IN (SELECT ref FROM asked WHERE ref IS NOT NULL)
        OR created_at <@ (SELECT range_agg(minutes) FROM asked WHERE ref IS NULL)
        OR external_ref IS NULL AND created_at <@ (SELECT range_agg(minutes) FROM asked))`,
);

/** Another worker is deciding about the group. */
export class GroupLockedError extends Error {}

/**
 * Locks the decision about the purchases of one group, without waiting, and reads all that it depends on: what matches
 * them, and what matches a pending one among those, because a duplicate does not count.
 * @throws GroupLockedError
 * @returns the purchases in the order of their ids
 */
export async function lockGroup(
  transaction: Statements,
  purchases: readonly Purchase[],
): Promise<ClaimedPurchase[]> {
  const [one] = purchases;
  if (!one) return [];
  const [lock] = await transaction.run(tryLock, duplicateKey(one));
  if (!lock?.locked) throw new GroupLockedError();
  const found = new Map<string, ClaimedPurchase>();
  const known = new Set(purchases.map(({ id }) => id));
  for (let asked = purchases; asked.length > 0;) {
    const matches = await transaction.run(findMatches, one, asked);
    asked = matches.filter(({ id, state }) => state === 'pending' && !known.has(id));
    for (const match of matches) {
      found.set(match.id, match);
      known.add(match.id);
    }
  }
  return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

type Compared = Pick<Purchase, 'state' | 'externalRef' | 'createdAt'>;

/**
 * The pending purchases of a group that are duplicates of one that was submitted, or of an earlier one that is not a
 * duplicate itself. Pure. @param group in the order of ids
 */
export function findDuplicates<P extends Compared>(group: readonly P[]): P[] {
  const kept: P[] = [];
  const keptByRef = new Map<string | null, P[]>();
  const keep = (purchase: P): void => {
    kept.push(purchase);
    const same = keptByRef.get(purchase.externalRef);
    if (same) same.push(purchase);
    else keptByRef.set(purchase.externalRef, [purchase]);
  };
  const isDuplicate = (purchase: P): boolean =>
    purchase.externalRef === null
      ? isWithin(minuteMs, purchase, kept)
      : isWithin(minuteMs, purchase, keptByRef.get(null)) ||
        isWithin(dayMs, purchase, keptByRef.get(purchase.externalRef));
  for (const purchase of group) if (purchase.state !== 'pending') keep(purchase);
  const duplicates: P[] = [];
  for (const purchase of group) {
    if (purchase.state !== 'pending') continue;
    if (isDuplicate(purchase)) duplicates.push(purchase);
    else keep(purchase);
  }
  return duplicates;
}

const isWithin = (maxMs: number, { createdAt }: Compared, others: readonly Compared[] = []): boolean =>
  others.some((other) => Math.abs(createdAt.getTime() - other.createdAt.getTime()) <= maxMs);
