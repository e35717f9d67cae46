import { Database, sql, type Statements } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { AppLogger, defineConfig, Registry, wholeNumber } from '@gangan/runtime';
import { createTestDatabase, createTestModule, type TestDatabase, until, valueFor } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { days, Retention, retentionOf } from '../src/index.js';

class ShelfConfig extends defineConfig({ BOOKS_KEPT_DAYS: wholeNumber({ min: 1, max: 99 })({ desc: '' }) }) {}

const retention = retentionOf(ShelfConfig, [
  {
    table: 'book',
    keptMs: (config) => days(config.BOOKS_KEPT_DAYS),
    kind: 'messages',
    where: sql`(lent_until > kept.before) IS NOT TRUE`,
    limit: 3,
  },
  { table: 'note', key: 'ctid', since: 'written_at', keptMs: days(1) },
  { table: 'card', since: 'made_at', keptMs: days(1), set: sql`name = NULL`, where: sql`name IS NOT NULL` },
  {
    table: 'box',
    keptMs: days(1),
    limit: 2,
    remove: async (transaction: Statements, ids) => {
      const count = await transaction.execute(sql`DELETE FROM box WHERE id = ANY (${ids}::uuid[])`);
      return { count, hasMore: false };
    },
  },
]);

@Module({ providers: [retention] })
class ShelfModule {}

describe('Retention', () => {
  let postgres: TestDatabase;
  let database: Database;
  let shelf: Retention;
  let registry: Registry;
  beforeAll(async () => {
    postgres = await createTestDatabase();
    database = new Database({ url: postgres.url, poolSize: 3 });
    await database.execute(sql`CREATE TYPE retention_kind AS ENUM ('messages', 'otps')`);
    for (const table of [
      sql`organisation_retention (organisation_id uuid, kind retention_kind, days int)`,
      sql`book (id uuid PRIMARY KEY, organisation_id uuid, lent_until timestamptz)`,
      sql`note (written_at timestamptz)`,
      sql`card (id int PRIMARY KEY, made_at timestamptz, name text)`,
      sql`box (id uuid PRIMARY KEY)`,
    ])
      await database.execute(sql`CREATE TABLE ${table}`);
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });
  beforeEach(async () => {
    await database.execute(sql`TRUNCATE organisation_retention, book, note, card, box`);
    registry = new Registry();
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined };
    const module = await createTestModule(ShelfModule, [
      ...[valueFor(Database, database), valueFor(AppLogger, silent), valueFor(Registry, registry)],
      valueFor(ShelfConfig, { BOOKS_KEPT_DAYS: 30 }),
    ]);
    shelf = module.get(Retention);
  });

  const addBooks = (organisationId: string, ...ageDays: readonly number[]) =>
    database.execute(sql`
      INSERT INTO book SELECT uuidv7(-age * interval '1 day'), ${organisationId}
      FROM unnest(${ageDays}::float8[]) AS age`);
  const booksOf = async (organisationId: string): Promise<number> =>
    (await database.query(sql`SELECT FROM book WHERE organisation_id = ${organisationId}`)).length;

  it('deletes rows that are older than the setting, in portions', async () => {
    const own = newId();
    await addBooks(own, 29.9, 30.1, 31, 32, 33);
    expect(await shelf.prune('book')).toBe(true);
    expect(await booksOf(own)).toBe(2);
    expect(await shelf.prune('book')).toBe(false);
    expect(await booksOf(own)).toBe(1);
    expect(await registry.metrics()).toContain('gangan_old_rows_deleted_total{table="book"} 4');
  });

  it('deletes those of an organisation earlier that keeps them for less time', async () => {
    const [own, longer, other] = [newId(), newId(), newId()];
    await database.execute(sql`
      INSERT INTO organisation_retention VALUES (${own}, 'messages', 10), (${longer}, 'messages', 31), (${other}, 'otps', 1)`);
    for (const each of [own, longer, other]) await addBooks(each, 9, 11, 31.5);
    while (await shelf.prune());
    expect([await booksOf(own), await booksOf(longer), await booksOf(other)]).toEqual([1, 2, 2]);
  });

  it('keeps rows for which the condition does not hold at the time limit of their organisation', async () => {
    const [own, other] = [newId(), newId()];
    await database.execute(sql`INSERT INTO organisation_retention VALUES (${own}, 'messages', 10)`);
    for (const each of [own, other]) await addBooks(each, 40);
    await database.execute(sql`UPDATE book SET lent_until = now() - interval '20 days'`);
    await shelf.prune();
    expect([await booksOf(own), await booksOf(other)]).toEqual([0, 1]);
  });

  it('leaves locked rows to the next time', async () => {
    const own = newId();
    await addBooks(own, 31, 32);
    await database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM book ORDER BY id LIMIT 1 FOR UPDATE`);
      expect(await shelf.prune('book')).toBe(false);
    });
    expect(await booksOf(own)).toBe(1);
    await shelf.prune('book');
    expect(await booksOf(own)).toBe(0);
  });

  it('clears values of rows that are kept', async () => {
    await database.execute(sql`
      INSERT INTO card VALUES (1, now(), 'new'), (2, now() - interval '25 hours', 'old')`);
    await shelf.prune('card');
    expect(await database.query(sql`SELECT id, name FROM card ORDER BY id`)).toEqual([
      { id: 1, name: 'new' },
      { id: 2, name: null },
    ]);
  });

  it('passes locked rows to a function that deletes them', async () => {
    await database.execute(sql`
      INSERT INTO box SELECT uuidv7(-n * interval '20 hours') FROM generate_series(0, 4) AS n`);
    expect([await shelf.prune('box'), await shelf.prune('box')]).toEqual([true, false]);
    expect(await database.query(sql`SELECT FROM box`)).toHaveLength(2);
  });

  it('runs from the start of the app until it stops', async () => {
    await database.execute(sql`INSERT INTO note VALUES (now() - interval '2 days'), (now())`);
    const count = async (): Promise<number> => (await database.query(sql`SELECT FROM note`)).length;
    shelf.onApplicationBootstrap();
    await until('old notes are deleted', async () => (await count()) === 1);
    await shelf.beforeApplicationShutdown();
  });
});
