import { type Sql, sql, type Statements } from '@gangan/database';
import type { Held } from './held.js';

/**
 * One at a time decides about a purchase and its twins; tells whether this is the one. Nobody waits, as whoever waits
 * keeps a connection from others. To be followed by `hasTwin` in a statement of its own: a statement does not see what
 * was committed while it took its lock.
 */
export async function lockTwins(transaction: Statements, held: Held): Promise<boolean> {
  const { organisationId, network, recipient, kobo } = held;
  const twins = ['airtime', organisationId, network, recipient, kobo].join(' ');
  const [lock] = await transaction.query<{ taken: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${twins}, 0)) AS taken`,
  );
  return lock?.taken === true;
}

/**
 * Whether the same was bought before, or is already on its way, and has not failed. Of those that all still wait, the
 * one with the earliest id goes; but one that has gone wins over an earlier one that came late.
 */
export async function hasTwin(transaction: Statements, held: Held): Promise<boolean> {
  const twins = await transaction.query(sql`
    SELECT id FROM airtime_purchase AS twin
    WHERE organisation_id = ${held.organisationId} AND recipient = ${held.recipient}
      AND ${within(held.createdAt, sql`interval '24 hours'`)}
      AND network = ${held.network} AND amount_kobo = ${held.kobo} AND id <> ${held.id}
      AND state NOT IN ('failed', 'duplicate') AND (id < ${held.id} OR state <> 'pending')
      AND CASE WHEN external_ref = ${held.externalRef}::text THEN true
               WHEN external_ref <> ${held.externalRef}::text THEN false
               ELSE ${within(held.createdAt, sql`interval '60 seconds'`)} END
    LIMIT 1`);
  return twins.length > 0;
}

const within = (moment: Date, distance: Sql): Sql =>
  sql`created_at BETWEEN ${moment}::timestamptz - ${distance} AND ${moment}::timestamptz + ${distance}`;
