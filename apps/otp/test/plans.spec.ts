import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kindOf, TestOtp, type Worker } from './support/test-otp.js';

const others = 5_000;

/** A plan is kept from when the tables were empty. */
describe('in large tables', () => {
  let fixture: TestOtp;
  let worker: Worker;
  let organisationId: string;
  beforeAll(async () => {
    // One connection, so that its plans are those of the empty tables, and its counts are complete.
    fixture = await TestOtp.open(1);
    worker = await fixture.worker();
    organisationId = await fixture.organisation({
      otpSendsPerRecipient: null,
      otpSendsPerPrefix: null,
      otpTriesPerRecipient: null,
      otpDailySpendKobo: 1_000_000_000n,
    });
    for (let run = 0; run < 8; run += 1) await everything(`+23480310${10_000 + run}`);
    await fixture.database.execute(sql`
      INSERT INTO otp (id, organisation_id, recipient, recipient_given, channel, hmac, max_attempts, expires_at,
        charge_kobo, request_id)
      SELECT uuidv7(), ${organisationId}, '+2348055' || lpad(n::text, 6, '0'), '', 'sms', decode(repeat('00', 32), 'hex'),
        5, now(), 0, '' FROM generate_series(1, ${others}::int) n`);
    await fixture.database.execute(sql`
      INSERT INTO otp_verification (id, otp_id, organisation_id, recipient, outcome, attempts_left)
      SELECT uuidv7(), id, organisation_id, recipient, 'mismatch', 1 FROM otp WHERE recipient LIKE '+2348055%'`);
  });
  afterAll(() => fixture.close());

  const everything = async (recipient: string): Promise<void> => {
    const id = await fixture.otp(worker, organisationId, { recipient, token: 'right' });
    const context = newContext({ organisationId });
    expect(kindOf(await fixture.verify(worker, organisationId, id, 'wrong!'))).toBe('400 token_mismatch');
    expect(kindOf(await fixture.verify(worker, organisationId, id, 'right'))).toBe('200');
    expect(await worker.service.find({ id }, context)).toMatchObject({ status: 2 });
    expect(await worker.service.list({ recipient }, context)).toHaveLength(1);
    await worker.service.revoke({ id }, context);
    await worker.fallbacks.deliveryEnded({ otp_id: id, delivery_id: id, status: 'failed' }, context);
    await worker.fallbacks.sweep();
    await worker.retention.prune();
  };
  const read = async (): Promise<number> => {
    await fixture.database.query(sql`SELECT pg_stat_force_next_flush()`);
    const [row] = await fixture.database.query<{ rows: number }>(sql`
      SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_user_tables
      WHERE relname IN ('otp', 'otp_verification', 'delivery')`);
    return row?.rows ?? 0;
  };

  it('no statement reads all rows', async () => {
    const before = await read();
    await everything('+2348031090000');
    expect((await read()) - before).toBeLessThan(200);
  });
});
