import { Database } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { DueSweeps, Retention } from '@gangan/leases';
import { QueueClient } from '@gangan/queue';
import { createTestDatabase, type TestDatabase, until, valueFor } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createMessaging } from './support/messaging-module.js';

describe('an idle messaging worker', () => {
  let postgres: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 4 });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  it('sends one statement each time it looks for due rows in all of its tables', async () => {
    const queue = valueFor(QueueClient, { listen: () => Promise.resolve() });
    // Each start looks for old rows, once.
    const values = [queue, valueFor(Retention, {})];
    const module = await createMessaging(database, { values });
    const look = jest.spyOn(module.get(DueSweeps), 'look');
    await module.init();
    const run = jest.spyOn(database, 'run');
    look.mockClear();
    await until('it has looked three times', () => look.mock.calls.length >= 3);
    expect(run).toHaveBeenCalledTimes(look.mock.calls.length);
    await module.close();
  });
});
