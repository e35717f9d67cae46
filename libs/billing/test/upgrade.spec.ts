import { Database, migrate, pendingMigrations, sql } from '@gangan/database';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { charge, checkLedger } from '../src/index.js';

/** The migrations of version 0.1. They are frozen: from here on migrations are only added. */
const pinned: Record<string, string> = {
  '20261115013000_tables': '8c6651550320706e6602747e3f33fafbfa37b310eb8279fb3ef18c22e4b922b5',
  '20261115013100_rules': '1ba8f22b0945f52a638a5bb60ca73b6ad898ecf63c356530a6f701c3297945da',
  '20261115013200_prices': '700237596d5a181df9272ad7b16dd8fb5ca657f11bbcce2230ac22f58fa85130',
};

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8');

const migrationsOf01 = () =>
  Promise.all(
    Object.entries(pinned).map(async ([name, checksum]) => ({
      name,
      checksum,
      sql: await read(`../../../prisma/migrations/${name}/migration.sql`),
    })),
  );

describe('an upgrade from version 0.1', () => {
  let postgres: TestPostgres;
  let database: Database;
  beforeAll(async () => {
    postgres = await startPostgres();
    database = new Database({ url: postgres.url, poolSize: 2 });
    await migrate(postgres.url, undefined, await migrationsOf01());
    await database.transaction(() => Promise.resolve(), [await read('support/data-0.1.sql')]);
  });
  afterAll(async () => {
    await database.close();
    await postgres.stop();
  });

  it('starts from the frozen migrations', async () => {
    for (const { name, checksum, sql: script } of await migrationsOf01()) {
      expect([name, createHash('sha256').update(script).digest('hex')]).toEqual([name, checksum]);
    }
  });

  it('applies the later migrations to a database with data, and keeps the ledger clean', async () => {
    const pending = await pendingMigrations(postgres.url);
    expect(pending.filter((name) => name in pinned)).toEqual([]);
    expect(await migrate(postgres.url)).toEqual(pending);
    const { totals, findings, warnings } = await checkLedger(database);
    expect({ findings, warnings }).toEqual({ findings: [], warnings: [] });
    expect(totals.map(({ kind }) => kind).sort()).toEqual(
      ['adjustment', 'charge', 'loss', 'post', 'refund', 'reserve', 'top_up', 'void'].sort(),
    );
  });

  it('leaves rows with which the present version works', async () => {
    const organisation = await database.organisation.findFirstOrThrow({ where: { mode: 'live' } });
    const [result] = await charge(database, 'message', [
      { subjectId: organisation.id, organisationId: organisation.id, kobo: 1n },
    ]);
    expect(result).toMatchObject({ ok: true, repeated: false });
    const [states] = await database.query(sql`SELECT count(DISTINCT state)::int AS count FROM delivery`);
    expect(states).toEqual({ count: 8 });
    expect(await database.message.count()).toBe(1);
    expect(await database.otp.count()).toBe(1);
    expect(await database.airtimePurchase.count()).toBe(1);
    expect(await database.callback.count()).toBe(4);
    expect(await database.contactRow.count()).toBe(3);
  });
});
