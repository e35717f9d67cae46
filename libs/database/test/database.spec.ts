import { BatchScope, currentContext, newContext, newId, runInContext } from '@gangan/protocol';
import { runSql, startPostgres, type TestPostgres, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { setTimeout as pause } from 'node:timers/promises';
import { PrismaClient } from '../src/generated/client.js';
import { Database, type DatabaseSettings, sql, sqlFailure, sqlState, StatementLoader } from '../src/index.js';
import { readMigrations } from '../src/migrations/migration-files.js';
import { openPool } from '../src/pool.js';

describe('the database', () => {
  let postgres: TestPostgres;
  const opened: Database[] = [];
  const open = (settings: Partial<DatabaseSettings> = {}): Database => {
    const database = new Database({ url: postgres.url, poolSize: 4, ...settings });
    opened.push(database);
    return database;
  };
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'no failure',
      (error: unknown) => sqlFailure(error),
    );

  beforeAll(async () => {
    Logger.overrideLogger(false);
    postgres = await startPostgres({ timezone: 'Asia/Kolkata' });
    for (const migration of await readMigrations()) await runSql(postgres.url, migration.sql);
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await postgres.stop();
  });

  it.each([
    ['looks rows up by index, also in a small table', {}, 'Index Scan'],
    ['scans a small table if it may', { allowScans: true }, 'Seq Scan'],
  ])('%s', async (_, settings, expected) => {
    const database = open(settings);
    await database.query(sql`ANALYZE organisation`);
    const plan = await database.query(
      sql`EXPLAIN SELECT name FROM organisation JOIN account ON account.id = account_id WHERE organisation.id = gen_random_uuid()`,
    );
    expect(JSON.stringify(plan)).toContain(expected);
  });

  it('has every model of Prisma’s client, which is created on first use', () => {
    const database = open();
    const models = Object.keys(new PrismaClient({ adapter: new PrismaPg(postgres.url) })).filter((name) =>
      /^[a-z]/.test(name),
    );
    expect(models).toContain('account');
    for (const model of models) expect(model in database).toBe(true);
    expect(database.created).toBeUndefined();
    expect(database.account).toBeDefined();
    expect(database.created).toBeDefined();
  });

  it('reads and writes by model, by SQL and by Prisma’s raw queries', async () => {
    const database = open();
    const id = newId();
    await database.account.create({ data: { id, name: 'One' } });
    expect(await database.query(sql`SELECT name FROM account WHERE id = ${id}`)).toEqual([{ name: 'One' }]);
    expect(await database.$queryRaw`SELECT name FROM account WHERE id = ${id}::uuid`).toEqual([
      { name: 'One' },
    ]);
    expect(await database.execute(sql`UPDATE account SET name = 'Two' WHERE id = ${id}`)).toBe(1);
    expect(await database.account.findUnique({ where: { id } })).toMatchObject({ name: 'Two' });
  });

  it('returns money as BigInt and times as Date', async () => {
    const [row] = await open().query(sql`
      SELECT ${2n ** 60n}::bigint AS kobo, ${['a', 'b']}::text[] AS list, ${{ a: 1 }}::jsonb AS json,
        ${Buffer.from([0, 255])}::bytea AS bytes, '2026-11-15T09:30:00.123Z'::timestamptz AS at, '2026-11-15'::date AS day`);
    expect(row).toEqual({
      kobo: 2n ** 60n,
      list: ['a', 'b'],
      json: { a: 1 },
      bytes: Buffer.from([0, 255]),
      at: new Date('2026-11-15T09:30:00.123Z'),
      day: '2026-11-15',
    });
  });

  it('reads the same times by model and by SQL in any time zone of the server', async () => {
    const database = open();
    const id = newId();
    const createdAt = new Date('2026-11-15T09:30:00.123Z');
    await database.account.create({ data: { id, name: 'Time', createdAt } });
    expect((await database.account.findUniqueOrThrow({ where: { id } })).createdAt).toEqual(createdAt);
    const byHand = sql`SELECT created_at, extract(epoch FROM created_at)::float8 AS epoch FROM account WHERE id = ${id}`;
    expect(await database.query(byHand)).toEqual([
      { created_at: createdAt, epoch: createdAt.getTime() / 1000 },
    ]);
  });

  it('passes any value as a parameter', async () => {
    const hostile = `'; DROP TABLE account; --`;
    expect(await open().query(sql`SELECT ${hostile}::text AS said`)).toEqual([{ said: hostile }]);
  });

  it('commits a transaction that returns and rolls back one that throws', async () => {
    const database = open({ poolSize: 1 });
    const [kept, undone] = [newId(), newId()];
    const insert = (id: string) => sql`INSERT INTO account (id, name) VALUES (${id}, 'x')`;
    expect(await database.transaction((transaction) => transaction.execute(insert(kept)))).toBe(1);
    const broken = database.transaction(async (transaction) => {
      await transaction.execute(insert(undone));
      throw new Error('changed my mind');
    });
    await expect(broken).rejects.toThrow('changed my mind');
    expect(await database.query(sql`SELECT id FROM account WHERE id IN (${kept}, ${undone})`)).toEqual([
      { id: kept },
    ]);
  });

  it('rejects the commit of a transaction whose failed statement was ignored', async () => {
    const database = open({ poolSize: 1 });
    const id = newId();
    const swallowed = database.transaction(async (transaction) => {
      await transaction.execute(sql`INSERT INTO account (id, name) VALUES (${id}, 'x')`);
      await transaction.query(sql`SELECT 1 / 0 AS nothing`).catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow('The transaction was rolled back');
    expect(await database.query(sql`SELECT id FROM account WHERE id = ${id}`)).toEqual([]);
  });

  it('sets limits on every connection', async () => {
    const [limits] = await open({ statementTimeoutMs: 7_000, name: 'gangan test' }).query(sql`
      SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
        current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('TimeZone') AS zone,
        current_setting('application_name') AS name`);
    expect(limits).toEqual({ statement: '7s', lock: '0', idle: '7s', zone: 'UTC', name: 'gangan test' });
  });

  it('cancels a statement that runs too long', async () => {
    const database = open({ statementTimeoutMs: 100 });
    expect(await failureOf(database.query(sql`SELECT pg_sleep(10)`))).toBe('busy');
    expect(await failureOf(database.$queryRaw`SELECT pg_sleep(10)`)).toBe('busy');
  });

  it('lets a caller wait for a connection only for a limited time', async () => {
    // Long enough to connect, also on a busy machine.
    const database = open({ poolSize: 1, connectionTimeoutMs: 1_500 });
    await database.transaction(async () => {
      expect(await failureOf(database.query(sql`SELECT 1 AS one`))).toBe('busy');
    });
    expect(await database.query(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  it('ends a transaction that stays idle', async () => {
    const database = open({ statementTimeoutMs: 300 });
    const forgotten = database.transaction(async (transaction) => {
      await transaction.query(sql`SELECT 1 AS one`);
      await pause(1_000);
      return transaction.query(sql`SELECT 2 AS two`);
    });
    expect(['lost', 'busy']).toContain(await failureOf(forgotten));
    expect(await database.query(sql`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
  });

  it('counts a server that accepts only reads, such as a demoted primary, as unreachable', async () => {
    const reader = new URL(postgres.url);
    reader.searchParams.set('options', '-c default_transaction_read_only=on');
    const database = open({ url: reader.href });
    const account = { id: newId(), name: 'Acme' };
    expect(await failureOf(database.account.create({ data: account }))).toBe('unreachable');
    const insert = sql`INSERT INTO account (id, name) VALUES (${account.id}::uuid, ${account.name})`;
    expect(await failureOf(database.execute(insert))).toBe('unreachable');
  });

  it('reports the violated rule, by model and by SQL', async () => {
    const database = open();
    const broken = [
      () => database.price.create({ data: { service: 'sms', prefix: 'letters', kobo: 1n } }),
      () => database.$executeRaw`INSERT INTO price VALUES ('sms', 'letters', 1)`,
      () => database.execute(sql`INSERT INTO price VALUES ('sms', 'letters', 1)`),
    ];
    for (const work of broken) {
      const error: unknown = await work().catch((reason: unknown) => reason);
      expect(sqlState(error)).toBe('23514');
    }
  });

  it('shares a statement between the members of a batch, and only one with an error fails', async () => {
    const database = open();
    const sent: number[] = [];
    const loader = new StatementLoader<{ id: string; name: string }, string>(async (members) => {
      sent.push(members.length);
      const rows = await database.query<{ id: string }>(sql`
        INSERT INTO account (id, name) SELECT * FROM unnest(${members.map(({ id }) => id)}::uuid[],
          ${members.map(({ name }) => name)}::text[]) RETURNING id`);
      return rows.map((row) => row.id);
    });
    const members = Array.from({ length: 8 }, (_, place) => ({
      id: newId(),
      name: place === 3 ? 'a\0b' : 'fine',
    }));
    const scope = new BatchScope(members.length);
    const results = await Promise.allSettled(
      members.map((member) => runInContext(newContext(), () => loader.load(member), scope)),
    );
    expect(results.map((result) => result.status === 'fulfilled' && result.value)).toEqual(
      members.map(({ id }, place) => place !== 3 && id),
    );
    expect(sent).toEqual([8, ...Array<number>(8).fill(1)]);
  });

  it('logs a lost connection outside the request that opened it', async () => {
    const contexts: unknown[] = [];
    const note = (): void => void contexts.push(currentContext());
    Logger.overrideLogger({ log: note, warn: note, error: note });
    const database = open();
    await runInContext(newContext(), () => database.ping());
    await postgres.kill();
    await until('the callback has run', () => contexts.length > 0);
    Logger.overrideLogger(false);
    await postgres.restart();
    expect(new Set(contexts)).toEqual(new Set([undefined]));
  });

  it('survives a lost connection without an error listener', async () => {
    const pool = openPool({ url: postgres.url, poolSize: 1, name: 'no listener' });
    const client = await pool.connect();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    await open().query(
      sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'no listener'`,
    );
    await ended;
    client.release(true);
    expect((await pool.query('SELECT 1')).rowCount).toBe(1);
    await pool.end();
  });

  it('survives a restart of the server', async () => {
    const database = open();
    const loader = new StatementLoader<number, number>(async (members) => {
      const rows = await database.query<{ member: number }>(
        sql`SELECT unnest(${[...members]}::int[]) AS member`,
      );
      return rows.map((row) => row.member);
    });
    await database.ping();
    await database.account.count();
    await postgres.kill();
    await expect(database.ping()).rejects.toThrow();
    expect(['lost', 'unreachable']).toContain(await failureOf(database.account.count()));
    expect(['lost', 'unreachable']).toContain(await failureOf(database.query(sql`SELECT 1 AS one`)));
    await expect(loader.load(7)).rejects.toMatchObject({ code: 'unavailable' });
    await postgres.restart();
    expect(await loader.load(7)).toBe(7);
    await database.ping();
    expect(await database.account.count()).toBeGreaterThan(0);
  });
});
