import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { PostgresReplyChannel } from '../src/backends/postgres/postgres-reply-channel.js';
import { queueClientConfig, QueuePool } from '../src/backends/postgres/queue-pool.js';
import { LogBook } from './support/system.js';

const listening = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN "caller%'`;

describe('the connection for replies', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('is closed although the server does not answer', async () => {
    const pool = new QueuePool(database.url, 1, () => undefined);
    const replies = new PostgresReplyChannel(pool, queueClientConfig(database.url), 'test', new LogBook());
    await replies.subscribe(
      'caller',
      () => undefined,
      () => undefined,
    );
    const [{ pid }] = (await runSql<{ pid: number }>(database.url, listening)) as [{ pid: number }];
    process.kill(pid, 'SIGSTOP');
    try {
      await replies.close();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await pool.close();
  });
});
