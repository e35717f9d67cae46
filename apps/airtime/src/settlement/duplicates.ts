import { sql, statement, type Statements, t } from '@gangan/database';
import { type ClaimedPurchase, claimedColumns, claimedShape, type Purchase } from '../purchase.js';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

type Group = Pick<Purchase, 'organisationId' | 'network' | 'recipient' | 'kobo'>;

/** The same for all purchases that can be duplicates of one another. */
export const duplicateKey = ({ organisationId, network, recipient, kobo }: Group): string =>
  ['airtime', organisationId, network, recipient, kobo].join(' ');

const tryLock = statement(
  { locked: t.bool },
  (key: string) => sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) AS locked`,
);

/** Those that can make another one a duplicate: all that did not fail, bought up to a day before or after. */
const findGroup = statement(
  claimedShape,
  ({ organisationId, network, recipient, kobo }: Group, first: Date, last: Date) => sql`
    SELECT ${claimedColumns} FROM airtime_purchase AS purchase
    WHERE organisation_id = ${organisationId} AND recipient = ${recipient}
      AND created_at BETWEEN ${first}::timestamptz - interval '24 hours' AND ${last}::timestamptz + interval '24 hours'
      AND network = ${network} AND amount_kobo = ${kobo} AND state NOT IN ('failed', 'duplicate')
    ORDER BY id`,
);

/** Another worker is deciding about the group. */
export class GroupLockedError extends Error {}

/**
 * Locks the decision about the purchases of one group, without waiting, and reads the whole group.
 * @throws GroupLockedError
 */
export async function lockGroup(
  transaction: Statements,
  purchases: readonly Purchase[],
): Promise<ClaimedPurchase[]> {
  const [one] = purchases;
  if (!one) return [];
  const times = purchases.map(({ createdAt }) => createdAt.getTime());
  const [lock] = await transaction.run(tryLock, duplicateKey(one));
  if (!lock?.locked) throw new GroupLockedError();
  return transaction.run(findGroup, one, new Date(Math.min(...times)), new Date(Math.max(...times)));
}

/**
 * The pending purchases of a group that are duplicates of one that was submitted, or of an earlier one that is not a
 * duplicate itself. Pure. @param group by id
 */
export function findDuplicates<P extends Pick<Purchase, 'state' | 'externalRef' | 'createdAt'>>(
  group: readonly P[],
): P[] {
  const kept = group.filter(({ state }) => state !== 'pending');
  const duplicates: P[] = [];
  for (const purchase of group) {
    if (purchase.state !== 'pending') continue;
    if (kept.some((other) => areSame(other, purchase))) duplicates.push(purchase);
    else kept.push(purchase);
  }
  return duplicates;
}

function areSame(
  one: Pick<Purchase, 'externalRef' | 'createdAt'>,
  other: Pick<Purchase, 'externalRef' | 'createdAt'>,
): boolean {
  const apartMs = Math.abs(one.createdAt.getTime() - other.createdAt.getTime());
  if (one.externalRef === null || other.externalRef === null) return apartMs <= minuteMs;
  return one.externalRef === other.externalRef && apartMs <= dayMs;
}
