import { Database, sql } from '@gangan/database';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ClaimTable, LeaseLostError } from '../src/index.js';

interface Claim {
  readonly id: string;
  readonly attempt: number;
}

const lease = { holder: 1n, leaseMs: 30_000 };

const jobs = new ClaimTable({
  table: 'job',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'due_at',
  held: sql`state = 'running'`,
});

describe('ClaimTable', () => {
  let postgres: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    postgres = await createTestDatabase();
    database = new Database({ url: postgres.url, poolSize: 3 });
    await database.execute(sql`
      CREATE TABLE job (id text PRIMARY KEY, state text DEFAULT 'queued', attempt int DEFAULT 0, due_at timestamptz(3),
        lease_holder bigint)`);
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });
  beforeEach(async () => {
    await database.execute(sql`DELETE FROM job`);
    await database.execute(sql`
      INSERT INTO job (id, due_at) VALUES ('late', now() - interval '1 minute'),
        ('later', now() - interval '1 second'), ('future', now() + interval '1 minute')`);
  });

  const claim = (limit: number, leaseMs = 30_000): Promise<Claim[]> =>
    database.query<Claim>(
      jobs.claimDue({
        ...lease,
        leaseMs,
        limit,
        where: sql`state IN ('queued', 'running')`,
        set: sql`state = 'running'`,
        returning: sql`id, attempt`,
      }),
    );
  const claimOne = async (leaseMs?: number): Promise<Claim> => {
    const [claimed] = await claim(1, leaseMs);
    if (!claimed) throw new Error('Nothing is due');
    return claimed;
  };

  it('claims what is due, the longest due first, and nothing twice', async () => {
    expect(await claim(1)).toEqual([{ id: 'late', attempt: 1 }]);
    expect(await claim(5)).toEqual([{ id: 'later', attempt: 1 }]);
    expect(await claim(5)).toEqual([]);
  });

  it('gives each row to one of several concurrent claims', async () => {
    const claims = await Promise.all([claim(2), claim(2), claim(2)]);
    expect(claims.flat()).toHaveLength(2);
  });

  it('lets another worker claim a row after its lease has expired', async () => {
    const first = await claimOne(-120_000);
    const second = await claimOne();
    expect(second).toEqual({ id: 'late', attempt: 2 });
    await expect(jobs.renew(database, first, lease)).rejects.toBeInstanceOf(LeaseLostError);
    await expect(database.transaction((transaction) => jobs.confirm(transaction, first))).rejects.toThrow(
      LeaseLostError,
    );
    expect(await jobs.release(database, first)).toBe(false);
    expect(await jobs.finish(database, first, sql`state = 'done'`)).toBe(false);
    await database.transaction((transaction) => jobs.confirm(transaction, second));
  });

  it('renews a lease', async () => {
    const claimed = await claimOne(0);
    await jobs.renew(database, claimed, lease);
    expect(await claim(5)).toEqual([{ id: 'later', attempt: 1 }]);
  });

  it('releases a row at once or after a delay', async () => {
    const claimed = await claimOne();
    expect(await jobs.release(database, claimed)).toBe(true);
    const again = await claim(2);
    expect(again.map(({ id, attempt }) => [id, attempt]).toSorted()).toEqual([
      ['late', 2],
      ['later', 1],
    ]);
    for (const one of again) await jobs.release(database, one, 60_000);
    expect(await claim(2)).toEqual([]);
  });

  it('ends a row permanently', async () => {
    const claimed = await claimOne();
    expect(await jobs.finish(database, claimed, sql`state = 'done', due_at = NULL`)).toBe(true);
    await expect(jobs.renew(database, claimed, lease)).rejects.toBeInstanceOf(LeaseLostError);
  });
});

describe('ClaimTable with organisations', () => {
  let postgres: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    postgres = await createTestDatabase();
    database = new Database({ url: postgres.url, poolSize: 3 });
    for (const table of [
      sql`CREATE TABLE account (id int PRIMARY KEY, status text)`,
      sql`CREATE TABLE organisation (id int PRIMARY KEY, account_id int, status text)`,
      sql`CREATE TABLE job (id text PRIMARY KEY, organisation_id int, state text, attempt int DEFAULT 0,
        due_at timestamptz(3), lease_holder bigint)`,
      sql`CREATE INDEX ON job (organisation_id, due_at) WHERE state = 'queued'`,
      sql`INSERT INTO account VALUES (1, 'active'), (2, 'suspended')`,
      sql`INSERT INTO organisation VALUES (1, 1, 'active'), (2, 1, 'suspended'), (3, 2, 'active'), (4, 1, 'active')`,
    ])
      await database.execute(table);
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });
  beforeEach(async () => {
    await database.execute(sql`DELETE FROM job`);
    await database.execute(sql`
      INSERT INTO job (id, organisation_id, state, due_at)
      SELECT format('%s-%s', organisation, hours), organisation, 'queued', now() - hours * interval '1 hour'
      FROM generate_series(1, 4) organisation, generate_series(1, 3) hours`);
    await database.execute(sql`
      INSERT INTO job (id, organisation_id, state, due_at) VALUES
        ('1-future', 1, 'queued', now() + interval '1 minute'),
        ('2-sent', 2, 'sent', now() - interval '150 minutes')`);
  });

  const options = { ...lease, where: sql`state = 'queued'`, returning: sql`id` };
  const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).toSorted();
  const claimActive = async (limit: number): Promise<string[]> =>
    ids(await database.query(jobs.claimActive({ ...options, limit, always: sql`state = 'sent'` })));

  it('claims rows of active organisations only, and those that must always be claimed, the longest due first', async () => {
    expect(await claimActive(3)).toEqual(['1-3', '2-sent', '4-3']);
    expect(await claimActive(9)).toEqual(['1-1', '1-2', '4-1', '4-2']);
    expect(await claimActive(9)).toEqual([]);
  });

  it('gives each row to one of several concurrent claims', async () => {
    const claims = await Promise.all([claimActive(4), claimActive(4), claimActive(4)]);
    expect(new Set(claims.flat()).size).toBe(claims.flat().length);
    const rest = await claimActive(9);
    expect([...claims.flat(), ...rest].toSorted()).toEqual(
      ['1-1', '1-2', '1-3', '2-sent', '4-1', '4-2', '4-3'].toSorted(),
    );
  });

  it('claims rows of suspended organisations that have been due for too long', async () => {
    const claim = async (limit: number): Promise<string[]> =>
      ids(await database.query(jobs.claimSuspended({ ...options, limit, overdueMs: 7_199_000 })));
    expect(await claim(3)).toHaveLength(3);
    expect(await claim(3)).toHaveLength(1);
    expect(await claim(3)).toEqual([]);
    const claimed = sql`SELECT id FROM job WHERE attempt = 1`;
    expect(ids(await database.query(claimed))).toEqual(['2-2', '2-3', '3-2', '3-3']);
  });
});
