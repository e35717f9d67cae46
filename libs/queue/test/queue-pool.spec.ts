import { runSql, startPostgres, type TestPostgres } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openQueuePool } from '../src/backends/postgres/queue-pool.js';

describe('the pool of the queues', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('survives the end of a connection that is in use, between two statements', async () => {
    const pool = openQueuePool(postgres.url, 1);
    pool.on('error', () => undefined);
    const client = await pool.connect();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    await runSql(
      postgres.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gangan-queue'`,
    );
    // Without a listener, the error of the connection would be an uncaught exception.
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow();
    client.release(true);
    expect((await pool.query('SELECT 1')).rowCount).toBe(1);
    await pool.end();
  });
});
