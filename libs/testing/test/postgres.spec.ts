import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../src/index.js';

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
};

describe('a test Postgres', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('is a server of its own', async () => {
    const other = await startPostgres();
    await query(other.url, 'CREATE TABLE theirs ()');
    expect(other.port).not.toBe(postgres.port);
    expect(await query(postgres.url, `SELECT to_regclass('theirs') AS found`)).toEqual([{ found: null }]);
    await other.stop();
  });

  it('creates further databases', async () => {
    const url = await postgres.createDatabase('another one');
    expect(await query(url, 'SELECT current_database() AS name')).toEqual([{ name: 'another one' }]);
    expect(await postgres.createDatabase()).not.toBe(await postgres.createDatabase());
  });

  it('loses nothing that was committed when it is killed', async () => {
    await query(postgres.url, 'CREATE TABLE kept AS SELECT 1 AS one');
    await postgres.kill();
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow();
    await postgres.restart();
    expect(await query(postgres.url, 'SELECT one FROM kept')).toEqual([{ one: 1 }]);
  });
});
