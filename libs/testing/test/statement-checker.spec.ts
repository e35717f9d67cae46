import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../src/postgres/test-database.js';
import { StatementChecker } from '../src/statements/statement-checker.js';

const uuid = { postgres: ['uuid'] };
const text = { postgres: ['text', 'varchar'] };
const size = { postgres: ['shirt_size'] };

describe('a checker of declared statements', () => {
  let postgres: TestDatabase;
  let client: pg.Client;
  let checker: StatementChecker;

  beforeAll(async () => {
    postgres = await createTestDatabase();
    client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`CREATE TYPE shirt_size AS ENUM ('small', 'large')`);
    await client.query('CREATE TABLE shirt (id uuid, colour text, size shirt_size, tags text[])');
    checker = await StatementChecker.connect(postgres.url);
  });
  afterAll(async () => {
    await checker.close();
    await client.end();
    await postgres.drop();
  });

  const faultsOf = (
    shape: Record<string, { postgres: string[] }> | undefined,
    build: (...args: never) => { text: string },
    samples?: unknown[][],
  ) => checker.faultsOf({ shape, build, ...(samples && { samples }), declared: new Error() });
  const constant = (sql: string) => () => ({ text: sql });

  it.each([
    [{ id: uuid, colour: text, size }, 'SELECT id, colour, size FROM shirt WHERE id = $1'],
    [{ tags: { postgres: ['_text'] } }, 'SELECT tags FROM shirt'],
    [{ hue: text }, 'UPDATE shirt SET size = $1 RETURNING colour AS hue'],
    [undefined, 'INSERT INTO shirt (id) VALUES ($1) RETURNING id'],
    [undefined, 'SET LOCAL enable_seqscan = off'],
    [undefined, 'ANALYZE shirt'],
  ])('finds no fault in a shape that fits (%#)', async (shape, sql) => {
    expect(await faultsOf(shape, constant(sql))).toEqual([]);
  });

  it.each([
    [{ id: text }, 'SELECT id FROM shirt', 'id is declared as text or varchar, and is uuid'],
    [{ id: uuid, hue: text }, 'SELECT id FROM shirt', 'it does not return the column hue'],
    [{ id: uuid }, 'SELECT id, size FROM shirt', 'it returns size, which its shape does not declare'],
    [{ id: uuid }, 'SELECT id, id FROM shirt', 'it returns two columns of the same name'],
    [{ id: uuid }, 'DELETE FROM shirt', 'it does not return the column id'],
    [{ colour: text }, 'SELECT colour AS hue FROM shirt', 'it does not return the column colour'],
    [undefined, 'DELETE FROM trousers', 'relation "trousers" does not exist, in:DELETE FROM trousers'],
  ])('says what does not fit (%#)', async (shape, sql, fault) => {
    expect(await faultsOf(shape, constant(sql))).toContain(fault);
  });

  it('fails a statement whose column was renamed', async () => {
    const check = () => faultsOf({ colour: text }, constant('SELECT colour FROM shirt'));
    expect(await check()).toEqual([]);
    await client.query('ALTER TABLE shirt RENAME COLUMN colour TO color');
    expect(await check()).toEqual([expect.stringContaining('column "colour" does not exist')]);
    await client.query('ALTER TABLE shirt RENAME COLUMN color TO colour');
  });

  it('executes nothing', async () => {
    await client.query(`INSERT INTO shirt (id) VALUES (gen_random_uuid())`);
    expect(await faultsOf(undefined, constant('DELETE FROM shirt'))).toEqual([]);
    expect((await client.query('SELECT 1 FROM shirt')).rowCount).toBe(1);
  });

  it('builds every sample', async () => {
    const build = (table: string) => ({ text: `SELECT id FROM ${table}` });
    const faults = await faultsOf({ id: uuid }, build, [['shirt'], ['trousers']]);
    expect(faults).toEqual([expect.stringContaining('relation "trousers" does not exist')]);
  });

  it.each([
    ['UPDATE shop SET name = $1 FROM shirt WHERE shop.id = shirt.shop_id AND shirt.id = $2', ['shop']],
    [
      'UPDATE shop SET name = $1 FROM shirt WHERE shop.id = shirt.shop_id AND shirt.id = $2 AND shop.id = ANY ($3::int[])',
      [],
    ],
    [
      `SELECT name FROM unnest($1::int[]) AS asked (id)
       CROSS JOIN LATERAL (SELECT name FROM shop WHERE id = asked.id LIMIT 1) found`,
      [],
    ],
    ['SELECT name FROM shop WHERE name = $1', ['shop']],
    ['SELECT id FROM shop WHERE open', []],
    ['SELECT prefix FROM price', []],
  ])('finds the tables that it may read as a whole (%#)', async (sql, expected) => {
    await client.query(`
      DROP TABLE IF EXISTS shop, price;
      CREATE TABLE price (prefix text);
      CREATE TABLE shop (id int PRIMARY KEY, name text, open bool);
      CREATE INDEX open_shop ON shop (id) WHERE open;
      ALTER TABLE shirt ADD COLUMN IF NOT EXISTS shop_id int;
      CREATE UNIQUE INDEX IF NOT EXISTS shirt_id ON shirt (id)`);
    const own = await StatementChecker.connect(postgres.url);
    expect(await own.unboundedReadsOf({ build: constant(sql), declared: new Error() })).toEqual(expected);
    await own.close();
  });

  describe('with a partial index of open rows', () => {
    let own: StatementChecker;

    beforeAll(async () => {
      await client.query(`
        CREATE TYPE parcel_state AS ENUM ('waiting', 'sent');
        CREATE TABLE parcel (id int PRIMARY KEY, town text, state parcel_state, due int);
        CREATE INDEX parcel_due_idx ON parcel (town, due) WHERE state = 'waiting';
        CREATE INDEX parcel_sent_idx ON parcel (town) WHERE state = 'sent'`);
      own = await StatementChecker.connect(postgres.url);
    });
    afterAll(() => own.close());

    it.each([
      [`SELECT id FROM parcel WHERE town = $1 AND state = 'waiting' ORDER BY due LIMIT 1`, []],
      [`SELECT town FROM parcel WHERE state = 'waiting' ORDER BY town LIMIT 1`, []],
      [`UPDATE parcel SET state = 'sent' WHERE id = $1 AND state::text = 'waiting'`, []],
      ['SELECT town FROM parcel WHERE id = $1', []],
      [
        `UPDATE parcel SET state = 'sent' WHERE id = $1 AND state = 'waiting'`,
        ['parcel_due_idx may be searched for a row by id: compare the state as text'],
      ],
      [
        `SELECT due FROM parcel WHERE town = $1 AND id = ANY ($2::int[]) AND state = 'waiting'`,
        ['parcel_due_idx may be searched for a row by id: compare the state as text'],
      ],
      [
        `SELECT town FROM parcel WHERE due < $1 AND state = 'sent'`,
        ['parcel_sent_idx may be read as a whole'],
      ],
      [
        `SELECT id FROM parcel WHERE state = 'waiting' ORDER BY id LIMIT 1`,
        ['parcel_due_idx may be read as a whole'],
      ],
    ])('decides whether a statement may read all of it (%#)', async (sql, expected) => {
      expect(await own.openRowReadsOf({ build: constant(sql), declared: new Error() })).toEqual(expected);
    });

    it('leaves the indexes as they were', async () => {
      const { rows } = await client.query('SELECT FROM pg_index WHERE NOT indisvalid');
      expect(rows).toHaveLength(0);
    });
  });

  it('gives a builder without samples a placeholder that fits everywhere', async () => {
    interface Item {
      readonly id: string;
      readonly at: Date;
    }
    const seen: unknown[] = [];
    const build = (items: readonly Item[], { limit, ...rest }: { limit: number; name?: string }) => {
      const [first, ...others] = items.toSorted();
      seen.push(first?.at.getTime(), others, rest, JSON.stringify(items), String(limit + 1));
      for (const [index, { id }] of items.entries()) seen.push(index, id);
      const ids = [...new Set(items.map(({ id }) => id))];
      return { text: `SELECT id FROM shirt WHERE id IN (${ids.map((_, at) => `$${at + 1}`).join()})` };
    };
    expect(await faultsOf({ id: uuid }, build)).toEqual([]);
    expect(seen).toHaveLength(7);
  });
});
