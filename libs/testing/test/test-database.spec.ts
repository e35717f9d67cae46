import { afterEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, runSql, type TestDatabase } from '../src/index.js';

describe('a test database', () => {
  const databases: TestDatabase[] = [];
  const create = async (...preparations: ((url: string) => Promise<unknown>)[]): Promise<TestDatabase> => {
    const database = await createTestDatabase(...preparations);
    databases.push(database);
    return database;
  };
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop();
  });

  it('is a copy of a template that was prepared once', async () => {
    const prepared: string[] = [];
    const addShirts = async (url: string): Promise<void> => {
      prepared.push(url);
      await runSql(url, 'CREATE TABLE shirt AS SELECT 1 AS id');
    };
    const [one, two] = await Promise.all([create(addShirts), create(addShirts)]);
    expect(prepared).toHaveLength(1);
    expect(prepared).not.toContain(one.url);
    await runSql(one.url, 'INSERT INTO shirt VALUES (2)');
    expect(await runSql(one.url, 'SELECT id FROM shirt ORDER BY id')).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await runSql(two.url, 'SELECT id FROM shirt')).toEqual([{ id: 1 }]);
  });

  it('with further preparations starts from the template of the first ones', async () => {
    const prepared: string[] = [];
    const addShirts = async (url: string): Promise<void> => {
      prepared.push(url);
      await runSql(url, 'CREATE TABLE shirt AS SELECT 1 AS id');
    };
    const addHats = (url: string): Promise<unknown> =>
      runSql(url, 'CREATE TABLE hat AS SELECT id FROM shirt');
    const [both, shirts] = await Promise.all([create(addShirts, addHats), create(addShirts)]);
    expect(prepared).toHaveLength(1);
    expect(await runSql(both.url, 'SELECT id FROM hat JOIN shirt USING (id)')).toEqual([{ id: 1 }]);
    expect(await runSql(shirts.url, `SELECT to_regclass('hat') AS hat`)).toEqual([{ hat: null }]);
  });

  it('has only what its own preparations create', async () => {
    const addHats = (url: string): Promise<unknown> => runSql(url, 'CREATE TABLE hat ()');
    await create(addHats);
    const { url } = await create();
    expect(await runSql(url, `SELECT to_regclass('hat') AS hat`)).toEqual([{ hat: null }]);
  });

  it('survives a kill of its server', async () => {
    const database = await create();
    await runSql(database.url, 'CREATE TABLE kept ()');
    await database.kill();
    await expect(runSql(database.url, 'SELECT 1')).rejects.toThrow();
    await database.restart();
    expect(await runSql(database.url, `SELECT to_regclass('kept')::text AS kept`)).toEqual([
      { kept: 'kept' },
    ]);
  });

  it('is gone after its drop, even while a client is connected to it', async () => {
    const database = await createTestDatabase();
    const waiting = runSql(database.url, 'SELECT pg_sleep(60)').catch((error: unknown) => error);
    await database.drop();
    expect(await waiting).toBeInstanceOf(Error);
    await expect(runSql(database.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
  });
});
