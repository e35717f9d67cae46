import { Database, sql } from '@gangan/database';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LeaseLostError, LeaseTable } from '../src/index.js';

interface Claim {
  readonly id: string;
  readonly attempt: number;
}

const jobs = new LeaseTable({
  table: 'job',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'due_at',
  held: sql`state = 'running'`,
});

describe('LeaseTable', () => {
  let postgres: TestPostgres;
  let database: Database;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = new Database({ url: postgres.url, poolSize: 3 });
    await database.execute(sql`
      CREATE TABLE job (id text PRIMARY KEY, state text DEFAULT 'queued', attempt int DEFAULT 0, due_at timestamptz(3))`);
  }, 60_000);
  afterAll(async () => {
    await database.close();
    await postgres.stop();
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
        limit,
        leaseMs,
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

  it('gives each row to one of many who claim at once', async () => {
    const claims = await Promise.all([claim(2), claim(2), claim(2)]);
    expect(claims.flat()).toHaveLength(2);
  });

  it('lets another worker claim the row when the lease has ended; the first one has lost it', async () => {
    const first = await claimOne(-120_000);
    const second = await claimOne();
    expect(second).toEqual({ id: 'late', attempt: 2 });
    await expect(jobs.renew(database, first, 1_000)).rejects.toBeInstanceOf(LeaseLostError);
    await expect(database.transaction((transaction) => jobs.confirm(transaction, first))).rejects.toThrow(
      LeaseLostError,
    );
    expect(await jobs.release(database, first)).toBe(false);
    expect(await jobs.finish(database, first, sql`state = 'done'`)).toBe(false);
    await database.transaction((transaction) => jobs.confirm(transaction, second));
  });

  it('renews a lease', async () => {
    const claimed = await claimOne(0);
    await jobs.renew(database, claimed, 30_000);
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

  it('ends a row for good', async () => {
    const claimed = await claimOne();
    expect(await jobs.finish(database, claimed, sql`state = 'done', due_at = NULL`)).toBe(true);
    await expect(jobs.renew(database, claimed, 1_000)).rejects.toBeInstanceOf(LeaseLostError);
  });
});
