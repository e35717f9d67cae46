import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { askCredits, type CreditSource } from '../src/credit/ask-credits.js';
import type { Credit } from '../src/credit/credit-settings.js';

const naira = 1_000_000n;

describe('the credit at a provider', () => {
  let postgres: TestDatabase;
  let database: Database;
  let asked: string[];
  let logged: string[];
  let credit: Credit | undefined;

  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 5 });
    for (const name of ['one', 'other'])
      await database.provider.create({
        data: { id: newId(), name, kind: 'http', domains: ['message'], channels: ['sms'], settings: {} },
      });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });
  beforeEach(async () => {
    [asked, logged, credit] = [[], [], { micros: 100n * naira, currency: 'NGN' }];
    await database.execute(sql`DELETE FROM provider_health`);
  });

  const logger = {
    info: (_: object, message: string) => void logged.push(message),
    warn: (_: object, message: string) => void logged.push(message),
  };
  const source = (name: string): CreditSource => ({
    warnBelow: 50n * naira,
    ask: () => {
      asked.push(name);
      return Promise.resolve(credit);
    },
  });
  const sources = new Map([
    ['one', source('one')],
    ['other', source('other')],
  ]);
  const ask = (): Promise<void> => askCredits(database, sources, logger);
  const minutePasses = () =>
    database.execute(
      sql`UPDATE provider_health SET credit_asked_at = credit_asked_at - interval '61 seconds'`,
    );
  const stored = () =>
    database.query(sql`
      SELECT name, credit_micros AS micros, credit_currency AS currency, state
      FROM provider_health JOIN provider ON id = provider_id ORDER BY name`);

  it('is read once a minute by one of all workers, and stored', async () => {
    await Promise.all([ask(), ask(), ask()]);
    await ask();
    expect(asked.toSorted()).toEqual(['one', 'other']);
    expect(await stored()).toMatchObject([
      { name: 'one', micros: 100n * naira, currency: 'NGN', state: 'up' },
      { name: 'other', micros: 100n * naira, currency: 'NGN', state: 'up' },
    ]);
    await minutePasses();
    await ask();
    expect(asked).toHaveLength(4);
  });

  it('is logged once when it becomes low, and once when it is sufficient again', async () => {
    const amounts = [100n, 49n, 48n, 50n, 51n, 10n];
    for (const amount of amounts) {
      credit = { micros: amount * naira, currency: 'NGN' };
      await askCredits(database, new Map([['one', source('one')]]), logger);
      await minutePasses();
    }
    expect(logged).toEqual([
      expect.stringContaining('is low'),
      expect.stringContaining('sufficient again'),
      expect.stringContaining('is low'),
    ]);
  });

  it('stays unchanged when the provider does not answer', async () => {
    await ask();
    await minutePasses();
    credit = undefined;
    await ask();
    expect(logged).toEqual(Array(2).fill(expect.stringContaining('did not say')));
    expect(await stored()).toMatchObject([{ micros: 100n * naira }, { micros: 100n * naira }]);
  });
});
