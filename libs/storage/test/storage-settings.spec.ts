import { aMessage, anOrganisation, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, Prisma, type Sql, sql } from '@gangan/database';
import { migrate } from '../src/index.js';

const changing = [
  'autovacuum_vacuum_scale_factor=0.02',
  'autovacuum_vacuum_threshold=1000',
  'autovacuum_analyze_scale_factor=0.02',
];
const small = ['autovacuum_vacuum_scale_factor=0', 'autovacuum_vacuum_threshold=1000'];
const added = ['autovacuum_vacuum_insert_scale_factor=0.02', 'autovacuum_analyze_scale_factor=0.02'];

const settings: Readonly<Record<string, readonly string[]>> = {
  airtime_purchase: changing,
  callback: changing,
  callback_attempt: changing,
  callback_host: small,
  delivery: changing,
  delivery_attempt: changing,
  delivery_poll: changing,
  idempotency_claim: ['fillfactor=50', ...changing],
  inbound_request: changing,
  incoming_message: changing,
  lease_holder: ['fillfactor=50', ...small],
  ledger_account: ['fillfactor=50', ...small],
  ledger_movement: added,
  lookup_batch: small,
  lookup_tally: ['fillfactor=50', ...small],
  message_change: small,
  message_expansion: small,
  otp: changing,
  outbox_message: changing,
  response_tally: ['fillfactor=50', ...small],
};

describe('the storage of hot tables', () => {
  let postgres: TestDatabase;
  let database: Database;
  let organisation: string;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    // One connection, so that its statistics are complete.
    database = new Database({ url: postgres.url, poolSize: 1 });
    organisation = (await anOrganisation(database)).id;
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  it('is configured for each of them', async () => {
    const rows = await database.query<{ table: string; options: string[] }>(sql`
      SELECT relname::text AS table, reloptions AS options FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reloptions IS NOT NULL`);
    const found = Object.fromEntries(rows.map(({ table, options }) => [table, options.toSorted()]));
    expect(found).toEqual(
      Object.fromEntries(Object.entries(settings).map(([table, options]) => [table, options.toSorted()])),
    );
  });

  /** Inserts batches and updates each of them a few batches later. @returns the share of HOT updates */
  const hotUpdates = async (
    table: string,
    { insert, update }: { insert: (batch: number) => Sql; update: (batch: number) => Sql },
  ): Promise<number> => {
    const count = async () => {
      await database.query(sql`SELECT pg_stat_force_next_flush()`);
      const [row] = await database.query<{ all: number; hot: number }>(sql`
        SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = ${table}`);
      return row ?? { all: 0, hot: 0 };
    };
    const before = await count();
    const [batches, lag] = [40, 3];
    for (let batch = 0; batch < batches + lag; batch += 1) {
      if (batch < batches) await database.execute(insert(batch));
      if (batch >= lag) await database.execute(update(batch - lag));
    }
    const after = await count();
    return (after.hot - before.hot) / (after.all - before.all);
  };

  const requestOf = (batch: number): string => `request-${batch}`;
  const claims = {
    insert: (batch: number) => sql`
      INSERT INTO idempotency_claim (organisation_id, key, method, path, operation_id, fingerprint, leased_until)
      SELECT ${organisation}, uuidv7()::text, 'POST', ${requestOf(batch)}, uuidv7(), decode(repeat('00', 32), 'hex'), now()
      FROM generate_series(1, 50)`,
    update: (batch: number) => sql`
      UPDATE idempotency_claim SET answer_status = 200, answer_body = decode(repeat('ab', 500), 'hex')
      WHERE path = ${requestOf(batch)}`,
  };
  const wallets = {
    insert: () => sql`SELECT 1`,
    update: () => sql`UPDATE ledger_account SET balance = balance + 1 WHERE kind = 'wallet'`,
  };
  const deliveries = {
    insert: (batch: number) => sql`
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages, charge_kobo,
        next_attempt_at, provider)
      SELECT uuidv7(), organisation_id, 'sms', id, 'sms', '+2348031234567', '08031234567', 1, 400, now(), ${requestOf(batch)}
      FROM message, generate_series(1, 100)`,
    update: (batch: number) => sql`
      UPDATE delivery SET state = 'submitting', attempt = attempt + 1, next_attempt_at = now() + interval '1 minute'
      WHERE provider = ${requestOf(batch)}`,
  };

  it('leaves no free space for deliveries, whose updates could not use it', async () => {
    await aMessage(database, organisation);
    await database.execute(sql`ALTER TABLE delivery SET (fillfactor = 50)`);
    expect(await hotUpdates('delivery', deliveries)).toBe(0);
  });

  it.each([
    ['ledger_account', wallets],
    ['idempotency_claim', claims],
  ] as const)('keeps more updates of %s in their page than full pages would', async (table, work) => {
    if (table === 'ledger_account')
      for (let made = 0; made < 60; made += 1) await anOrganisation(database, { balanceKobo: 1n });
    const settled = await hotUpdates(table, work);
    await database.execute(Prisma.raw(`ALTER TABLE ${table} SET (fillfactor = 100)`));
    if (table !== 'ledger_account') await database.execute(Prisma.raw(`DELETE FROM ${table}`));
    await database.execute(Prisma.raw(`VACUUM FULL ${table}`));
    expect(await hotUpdates(table, work)).toBeLessThan(settled);
    expect(settled).toBeGreaterThan(0.4);
  });
});
