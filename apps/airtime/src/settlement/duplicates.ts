import { type Sql, sql, statement, type Statements, t } from '@gangan/database';
import type { Purchase } from '../purchase.js';

const tryLock = statement(
  { locked: t.bool },
  (key: string) => sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) AS locked`,
);

/**
 * Finds a purchase that makes this one a duplicate: bought before, or submitted already, and not failed. While several
 * are pending, the earliest id is submitted; a purchase that was submitted wins even over an earlier one.
 */
const findDuplicate = statement(
  { id: t.uuid },
  ({ id, organisationId, recipient, network, kobo, createdAt, externalRef }: Purchase) => sql`
    SELECT id FROM airtime_purchase
    WHERE organisation_id = ${organisationId} AND recipient = ${recipient}
      AND ${isWithin(sql`interval '24 hours'`, createdAt)}
      AND network = ${network} AND amount_kobo = ${kobo} AND id <> ${id}
      AND state NOT IN ('failed', 'duplicate') AND (id < ${id} OR state <> 'pending')
      AND CASE WHEN external_ref = ${externalRef}::text THEN true
               WHEN external_ref <> ${externalRef}::text THEN false
               ELSE ${isWithin(sql`interval '60 seconds'`, createdAt)} END
    LIMIT 1`,
);

const isWithin = (distance: Sql, time: Date): Sql =>
  sql`created_at BETWEEN ${time}::timestamptz - ${distance} AND ${time}::timestamptz + ${distance}`;

/**
 * Locks the decision about a purchase and its duplicates, without waiting; returns whether it got the lock. Call
 * `isDuplicate` in a statement of its own: a statement does not see what was committed while it waited for its lock.
 */
export async function lockDuplicates(
  transaction: Statements,
  { organisationId, network, recipient, kobo }: Purchase,
): Promise<boolean> {
  const [lock] = await transaction.run(
    tryLock,
    ['airtime', organisationId, network, recipient, kobo].join(' '),
  );
  return lock?.locked === true;
}

export const isDuplicate = async (transaction: Statements, purchase: Purchase): Promise<boolean> =>
  (await transaction.run(findDuplicate, purchase)).length > 0;
