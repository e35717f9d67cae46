import { newId } from '@gangan/protocol';
import { aMessage, anOrganisation, anOtp, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, isUnanswered, sql } from '@gangan/database';
import { migrate } from '../src/index.js';

describe('deliveries without an answer', () => {
  let postgres: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  it('are the same for `lock_unanswered`, which locks them, as for `isUnanswered`, which lists them', async () => {
    const { id: organisation } = await anOrganisation(database);
    await database.execute(sql`
      INSERT INTO delivery (id, organisation_id, message_id, lane, channel, recipient, recipient_given, pages, charge_kobo,
        state, error_code, refunded, resolution, unanswered_by, lease_holder, next_attempt_at)
      SELECT gen_random_uuid(), ${organisation}::uuid, ${await aMessage(database, organisation)}::uuid, 'sms', 'sms',
        '+2348031234567', '+2348031234567', 1, 400, state, error_code, refunded, resolution, unanswered_by, lease_holder,
        CASE WHEN state IN ('queued', 'submitting', 'sent') THEN now() END
      FROM unnest(enum_range(NULL::delivery_state)) AS state
      CROSS JOIN unnest(ARRAY[NULL, 'no_answer', 'no_report', 'dnd', 'window_closed', 'provider_unavailable', 'unreachable'])
        AS error_code
      CROSS JOIN unnest(ARRAY[true, false]) AS refunded
      CROSS JOIN unnest(ARRAY[NULL, 'keep']) AS resolution
      CROSS JOIN (VALUES (NULL), (ARRAY['termii'])) AS provider (unanswered_by)
      CROSS JOIN unnest(ARRAY[NULL, 7]) AS lease_holder`);
    for (const [status, count] of [
      [1, 1],
      [2, 1],
      [2, 2],
    ] as const) {
      const otp = await anOtp(database, organisation, { id: newId(), status });
      await database.execute(sql`
        INSERT INTO delivery (id, organisation_id, otp_id, lane, channel, recipient, recipient_given, pages, charge_kobo, state, next_attempt_at)
        SELECT gen_random_uuid(), ${organisation}::uuid, ${otp}::uuid, 'otp', 'sms', '+2348031234567', '+2348031234567', 1, 400,
          'submitting', now() FROM generate_series(1, ${count}::int)`);
    }
    const listed = await database.query<{ id: string }>(
      sql`SELECT id FROM delivery WHERE ${isUnanswered} ORDER BY id`,
    );
    const locked = await database.query<{ id: string }>(sql`
      SELECT id FROM lock_unanswered(${organisation}::uuid, ARRAY(SELECT id FROM delivery), 'refund')`);
    expect(listed.length).toBeGreaterThan(20);
    expect(locked).toEqual(listed);
  });
});
