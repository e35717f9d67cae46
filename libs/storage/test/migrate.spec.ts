import { createTestDatabase, pretendVersion, runSql as ask, type TestDatabase, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { pendingMigrations, readMigrations } from '@gangan/database';
import { migrate } from '../src/index.js';

const folder = new URL('../../../prisma/migrations/', import.meta.url);

describe('the migrator', () => {
  const databases: TestDatabase[] = [];
  let all: string[];

  beforeAll(async () => {
    const entries = await readdir(folder, { withFileTypes: true });
    all = entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  });
  afterAll(async () => {
    for (const created of databases) await created.drop();
  });

  const database = async (...preparations: ((url: string) => Promise<unknown>)[]): Promise<string> => {
    const created = await createTestDatabase(...preparations);
    databases.push(created);
    return created.url;
  };

  it('migrates an empty database to the newest schema once', async () => {
    const url = await database();
    expect(await pendingMigrations(url)).toEqual(all);
    const lines: string[] = [];
    expect(await migrate(url, (line) => lines.push(line))).toEqual(all);
    expect(lines.slice(0, all.length)).toEqual(all.map((name) => `Applied ${name}`));
    expect(lines.slice(all.length)).toContain('Applied the function move_money');
    expect(await pendingMigrations(url)).toEqual([]);
    expect(await migrate(url)).toEqual([]);
  });

  it('refuses a server that is too old, and changes nothing', async () => {
    const url = await database();
    await pretendVersion(url, 17);
    const refused = { message: expect.stringContaining('Postgres 18 is needed, this is 17') };
    await expect(migrate(url)).rejects.toMatchObject(refused);
    await expect(pendingMigrations(url)).rejects.toMatchObject(refused);
    expect(await ask(url, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
    expect(await readFile(new URL('../../../README.md', import.meta.url), 'utf8')).toContain(
      'Postgres 18 or newer',
    );
  });

  it('keeps its history as `prisma migrate deploy` does', async () => {
    const url = await database(migrate);
    const history = await ask(url, 'SELECT * FROM _prisma_migrations ORDER BY started_at');
    for (const [index, name] of all.entries()) {
      const script = await readFile(new URL(`${name}/migration.sql`, folder));
      expect(history[index]).toMatchObject({
        migration_name: name,
        checksum: createHash('sha256').update(script).digest('hex'),
        finished_at: expect.any(Date) as unknown,
        rolled_back_at: null,
        applied_steps_count: 1,
      });
    }
  });

  it('migrates once when several processes migrate at the same time', async () => {
    const url = await database();
    const results = await Promise.all([migrate(url), migrate(url), migrate(url)]);
    expect(results.map((names) => names.length).sort()).toEqual([0, 0, all.length]);
    const [history] = await ask(url, 'SELECT count(*)::int AS rows FROM _prisma_migrations');
    expect(history).toEqual({ rows: all.length });
  });

  it('rolls back a migration that fails, says what to do, and applies it once the cause is gone', async () => {
    const url = await database(migrate);
    const prices = all.find((name) => name.endsWith('_prices')) ?? '';
    await ask(url, `DELETE FROM _prisma_migrations WHERE migration_name = '${prices}'`);
    await ask(url, `DELETE FROM price WHERE service = 'sms'`);
    await expect(migrate(url)).rejects.toThrow(
      `Migration ${prices} failed and was rolled back: duplicate key value violates unique constraint "price_pkey". Correct the cause and migrate again.`,
    );
    expect(await pendingMigrations(url)).toEqual([prices]);
    expect(await ask(url, `SELECT 1 FROM price WHERE service = 'sms'`)).toEqual([]);
    await ask(url, 'DELETE FROM price');
    expect(await migrate(url)).toEqual([prices]);
  });

  it('repeats a migration that was interrupted', async () => {
    const url = await database(migrate);
    const prices = all.find((name) => name.endsWith('_prices')) ?? '';
    await ask(url, `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${prices}'`);
    await ask(url, 'DELETE FROM price');
    const lines: string[] = [];
    expect(await migrate(url, (line) => lines.push(line))).toEqual([prices]);
    expect(lines[0]).toBe(`Migration ${prices} was interrupted; trying it again`);
  });

  it('refuses a migration that was edited after it had been applied', async () => {
    const url = await database(migrate);
    const [first = ''] = all;
    await ask(url, `UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = '${first}'`);
    await expect(migrate(url)).rejects.toThrow(
      `Migration ${first} was edited after it had been applied to this database. Restore the file`,
    );
  });

  it('refuses a database of a build between two releases, and changes nothing', async () => {
    const url = await database();
    const migrations = await readMigrations();
    const released = migrations.filter(({ name }) => name < '20261116');
    const replaced = ['20261116000100_upload_hash', '20261116001100_key_networks'].map((name) => ({
      ...{ name, checksum: name },
      sql: `CREATE TABLE "${name}" ()`,
    }));
    await migrate(url, undefined, [...released, ...replaced]);
    const state = () =>
      ask(
        url,
        `SELECT (SELECT json_agg(h ORDER BY migration_name) FROM _prisma_migrations h) AS history,
           (SELECT count(*) FROM pg_class) AS relations`,
      );
    const before = await state();
    await expect(migrate(url)).rejects.toThrow(
      'The database was migrated by a build between two releases: this version does not have its migration 20261116000100_upload_hash and 1 more. Nothing was changed. Drop the database and migrate an empty one',
    );
    expect(await state()).toEqual(before);
  });

  it('accepts a database of a newer version', async () => {
    const url = await database(migrate);
    const newer = { name: '20990101000000_newer', sql: 'SELECT 1', checksum: 'newer' };
    await migrate(url, undefined, [newer]);
    expect(await migrate(url)).toEqual([]);
  });

  describe('while a transaction holds a lock that a migration needs', () => {
    const alter = {
      name: '20990101000000_alter',
      sql: 'ALTER TABLE busy ADD COLUMN later int',
      checksum: 'alter',
    };
    let url: string;
    let holder: pg.Client;

    beforeEach(async () => {
      url = await database();
      const create = { name: '20980101000000_create', sql: 'CREATE TABLE busy (id int)', checksum: 'create' };
      await migrate(url, undefined, [create]);
      holder = new pg.Client({ connectionString: url, application_name: 'the holder' });
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT * FROM busy');
    });
    afterEach(() => holder.end());

    it('lets other statements pass, retries, and applies it when the lock is free', async () => {
      const lines: string[] = [];
      const patience = { timeoutMs: 200, pauseMs: 50, maxAttempts: 10_000 };
      const migrating = migrate(url, (line) => lines.push(line), [alter], patience);
      await until('it has tried twice', () => Promise.resolve(lines.length > 1));
      // Behind a migration that waits for good, this would wait for the holder.
      expect(await ask(url, 'SELECT * FROM busy')).toEqual([]);
      expect(lines[0]).toMatch(
        /^Migration 20990101000000_alter needs a lock .* \(1 of 10000\)\. The oldest open transaction is that of the holder \(pid \d+\), for \d+ s\.$/,
      );
      await holder.query('COMMIT');
      expect(await migrating).toEqual([alter.name]);
      expect(await ask(url, 'SELECT later FROM busy')).toEqual([]);
    });

    it('gives up after some time, changes nothing, and says what to do', async () => {
      const patience = { timeoutMs: 50, pauseMs: 1, maxAttempts: 3 };
      await expect(migrate(url, undefined, [alter], patience)).rejects.toThrow(
        /did not get a lock on a table in use; nothing was changed\. .* the holder .* then migrate again/,
      );
      const history = await ask(
        url,
        `SELECT 1 FROM _prisma_migrations WHERE migration_name = '${alter.name}'`,
      );
      expect(history).toEqual([]);
    });
  });

  it('refuses a database with other tables', async () => {
    const url = await database();
    await ask(url, 'CREATE TABLE theirs (id int)');
    await expect(migrate(url)).rejects.toThrow('Create an empty database');
  });

  it.each([
    [(url: URL) => (url.pathname = '/nowhere'), 'there is no such database; create it'],
    [(url: URL) => (url.port = '1'), 'nothing listens there; start Postgres or correct DATABASE_URL'],
    [(url: URL) => (url.password = 'wrong'), 'the password is wrong; correct DATABASE_URL'],
  ])('says why a database cannot be used (%#)', async (spoil, words) => {
    const url = new URL(await database());
    spoil(url);
    const refusal = migrate(url.href);
    await expect(refusal).rejects.toThrow(words);
    await expect(refusal).rejects.not.toThrow('wrong@');
  });
});
