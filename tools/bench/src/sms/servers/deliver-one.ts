import { type Database, sql } from '@gangan/database';

/** What delivers a message at least: the simulated carrier stores it, the delivery is sent, and its report arrives. */
export async function deliverOne(database: Database, messageId: string): Promise<void> {
  const accepted = await database.query<{ id: string; reference: string }>(sql`
    INSERT INTO simulated_message (reference, channel, recipient, outcome)
    SELECT id, channel, recipient, 'accepted' FROM delivery WHERE message_id = ${messageId}
    RETURNING id, reference`);
  const ids = accepted.map(({ id }) => id);
  await database.execute(sql`
    UPDATE delivery SET state = 'sent', attempt = 1, provider = 'simulator', provider_reference = accepted.id::text,
      next_attempt_at = now() + interval '1 day', updated_at = now()
    FROM unnest(${ids}::uuid[], ${accepted.map(({ reference }) => reference)}::uuid[]) AS accepted (id, reference)
    WHERE delivery.id = accepted.reference`);
  await database.execute(sql`
    UPDATE delivery SET state = 'delivered', next_attempt_at = NULL, updated_at = now()
    WHERE provider = 'simulator' AND provider_reference = ANY (${ids}::text[])`);
}
