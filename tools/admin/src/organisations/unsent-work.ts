import { type Database, sql, statement, t } from '@gangan/database';

/** Beyond this number the exact count makes no difference. */
const maxCounted = 100_000;

const countRows = statement(
  { deliveries: t.int, expansions: t.int, purchases: t.int },
  (organisationId: string) => sql`
    SELECT
      (SELECT count(*) FROM (
        SELECT FROM delivery WHERE lane IN ('otp', 'sms') AND organisation_id = ${organisationId}
          AND state IN ('queued', 'submitting') LIMIT ${maxCounted}) few)::int AS deliveries,
      (SELECT count(*) FROM message_expansion
        WHERE organisation_id = ${organisationId} AND state = 'expanding')::int AS expansions,
      (SELECT count(*) FROM (
        SELECT FROM airtime_purchase WHERE organisation_id = ${organisationId} AND state = 'pending'
          LIMIT ${maxCounted}) few)::int AS purchases`,
);

/** What waits to be sent; held while the organisation is suspended. */
export async function countUnsent(database: Database, organisationId: string) {
  const [counts] = await database.run(countRows, organisationId);
  return {
    unsent_messages_and_otps: counts?.deliveries ?? 0,
    unread_smartlists: counts?.expansions ?? 0,
    unsubmitted_purchases: counts?.purchases ?? 0,
  };
}
