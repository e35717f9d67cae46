import { sql } from '@gangan/database';
import { isFullSuite } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { ChangeWorker } from '../support/change-worker.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';

/** 100,000 are the most that a smartlist can have. */
const recipients = isFullSuite ? 100_000 : 3_000;
const funds = 100_000_000_000n;

describe('a large campaign', () => {
  // One connection, so that its statistics are complete.
  const fixture = DeliveryFixture.use(1);

  const rowsRead = async (): Promise<number> => {
    await fixture.database.query(sql`SELECT pg_stat_force_next_flush()`);
    const [row] = await fixture.database.query<{ rows: number }>(sql`
      SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables WHERE relname = 'delivery'`);
    return row?.rows ?? 0;
  };

  it('is paused, resumed and canceled half-way, which refunds exactly what was not submitted', async () => {
    const organisation = await fixture.organisation(funds);
    const numbers = Array.from({ length: recipients }, (_, index) => `+234803${1_000_000 + index}`);
    const { id, deliveries } = await fixture.accept(organisation, { recipients: numbers });
    const half = recipients / 2;
    await fixture.database.execute(sql`
      UPDATE delivery SET state = 'delivered', next_attempt_at = NULL, attempt = 1
      WHERE id = ANY (${deliveries.slice(0, half)}::uuid[])`);
    await fixture.database.execute(sql`ANALYZE delivery`);
    const changes = await ChangeWorker.create(fixture.database);
    await changes.change('pause', organisation, id);
    const other = await fixture.accept(organisation);
    // Held deliveries cost the other messages of the organisation nothing.
    await fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = now() - interval '1 ms' WHERE message_id = ${other.id}::uuid`);
    const before = await rowsRead();
    await (await fixture.worker()).sweep();
    expect((await rowsRead()) - before).toBeLessThan(100);
    expect(await fixture.states(other.deliveries)).toEqual(['sent']);
    // Nor do they cost a list of messages.
    const read = await rowsRead();
    const { messages } = await (
      await fixture.worker()
    ).messages.list({}, { organisationId: organisation } as never);
    expect(messages.map(({ status }) => status)).toEqual(['completed', 'paused']);
    expect((await rowsRead()) - read).toBeLessThan(100);
    await changes.change('resume', organisation, id);
    await changes.change('cancel', organisation, id);
    const counts = await fixture.database.query(sql`
      SELECT state::text, count(*)::int, bool_and(refunded) AS refunded FROM delivery WHERE message_id = ${id}::uuid
      GROUP BY state ORDER BY state`);
    expect(counts).toEqual([
      { state: 'canceled', count: recipients - half, refunded: true },
      { state: 'delivered', count: half, refunded: false },
    ]);
    expect(await changes.jobs()).toBe(0);
    expect(await fixture.available(organisation)).toBe(funds - BigInt(half + 1) * price);
    await fixture.expectCleanLedger();
  });
});
