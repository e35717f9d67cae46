import {
  runSql,
  startPostgres,
  type TestPostgres,
  type TestResponse,
  TestSystem,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillAs } from './support/released-database.js';

/** Keys of the data of version 0.2. */
const key = 'sk_live_Globex-of-version-0-2-012345678901234567890';
const unusable = [
  'sk_live_Globex-revoked-0-2-012345678901234567890123',
  'sk_live_Globex-expired-0-2-012345678901234567890123',
];
const id = (number: number): string => `019a0000-0000-7000-8000-${String(number).padStart(12, '0')}`;

// upgrade.spec.ts compares the tables.
describe('a system whose database was made by version 0.2', () => {
  let postgres: TestPostgres;
  let system: TestSystem;
  beforeAll(async () => {
    postgres = await startPostgres({ max_connections: '150' });
    await fillAs('0.2', postgres.url);
    system = await TestSystem.open(
      { DATABASE_URL: postgres.url, SIMULATE_LIVE: 'true', MESSAGES_KEPT_DAYS: '3650' },
      { compact: true },
    );
    await system.start();
  });
  afterAll(async () => {
    await system.close();
    await postgres.stop();
  });

  const get = (path: string, as = key): Promise<TestResponse> => system.request({ path, key: as });
  const balance = async () => (await get('/balance')).body;

  it('accepts the keys that were valid, and no others', async () => {
    expect(await get('/balance')).toMatchObject({ status: 200 });
    for (const other of unusable) expect(await get('/balance', other)).toMatchObject({ status: 401 });
  });

  it('shows the messages of before', async () => {
    expect(await get(`/sms/${id(110)}`)).toMatchObject({ status: 200, body: { id: id(110) } });
    const { body } = await get('/sms');
    const messages = (body as { messages: { id: string }[] }).messages.map((message) => message.id);
    expect(messages).toEqual([id(111), id(110)]);
  });

  it('sends and charges for a message', async () => {
    const before = await balance();
    const sent = await system.request({
      ...{ method: 'POST', path: '/sms/send', key },
      body: { recipients: '08031234567', content: 'Hello', category: 'transactional' },
    });
    expect(sent).toMatchObject({ status: 200 });
    const message = (sent.body as { id: string }).id;
    await until('it is delivered', async () => {
      const { body } = await get(`/sms/${message}`);
      return (body as { status: string }).status === 'completed';
    });
    expect(await balance()).not.toEqual(before);
    const charges = await runSql(
      postgres.url,
      `SELECT kobo::int FROM ledger_movement WHERE subject_id = '${message}'`,
    );
    expect(charges).toEqual([{ kobo: 350 }]);
  });

  it('refunds an OTP that was charged for and not sent', async () => {
    const refund = `SELECT kobo::int FROM ledger_movement WHERE kind = 'refund' AND charge_id = '${id(50)}'`;
    expect(await until('it is refunded', async () => (await runSql(postgres.url, refund))[0])).toEqual({
      kobo: 350,
    });
  });
});
