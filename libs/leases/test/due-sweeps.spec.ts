import { Database, type Sql, sql, statement, t } from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { createTestDatabase, type TestDatabase, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { DueSweeps, SweepsWhen } from '../src/due-sweeps.js';

const isAnyIn = (table: Sql) =>
  statement({ isDue: t.bool }, () => sql`SELECT EXISTS (SELECT FROM ${table}) AS "isDue"`);

@Injectable()
class Warehouse {
  emptied = 0;

  constructor(private readonly database: Database) {}

  @SweepsWhen(isAnyIn(sql`crate`), 'emptying crates')
  async emptyCrates(): Promise<boolean> {
    await this.database.execute(sql`DELETE FROM crate`);
    return false;
  }

  @SweepsWhen(isAnyIn(sql`pallet`), 'emptying pallets')
  async emptyPallets(): Promise<boolean> {
    const count = await this.database.execute(sql`DELETE FROM pallet`);
    this.emptied += count;
    return false;
  }
}

describe('DueSweeps', () => {
  let postgres: TestDatabase;
  let database: Database;
  let other: Database;
  beforeAll(async () => {
    postgres = await createTestDatabase();
    const statementTimeoutMs = 600_000;
    database = new Database({ url: postgres.url, poolSize: 6, statementTimeoutMs });
    other = new Database({ url: postgres.url, poolSize: 2, statementTimeoutMs });
    for (const table of [sql`crate`, sql`pallet`])
      await other.execute(sql`CREATE TABLE ${table} (id int PRIMARY KEY)`);
  });
  afterAll(async () => {
    await database.close();
    await other.close();
    await postgres.drop();
  });

  it('runs the sweeps of other tables while one is locked, with one statement waiting for it', async () => {
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    @Module({
      imports: [DiscoveryModule],
      providers: [
        ...[Warehouse, DueSweeps],
        { provide: Database, useValue: database },
        { provide: AppLogger, useValue: silent },
      ],
    })
    class Depot {}
    const waiting = sql`
      SELECT count(*)::int AS count FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const app = await other.transaction(async (migration) => {
      await migration.query(sql`LOCK TABLE crate IN ACCESS EXCLUSIVE MODE`);
      const running = await NestFactory.createApplicationContext(Depot, { logger: false });
      const warehouse = running.get(Warehouse);
      for (const emptied of [1, 2, 3]) {
        await other.execute(sql`INSERT INTO pallet VALUES (1)`);
        await until('the pallet is emptied', () => warehouse.emptied === emptied);
      }
      // That of the look, and that of the sweep of this table.
      expect(await other.query(waiting)).toEqual([{ count: 2 }]);
      return running;
    });
    await other.execute(sql`INSERT INTO crate VALUES (1)`);
    await until('the crate is emptied', async () => (await other.query(sql`SELECT FROM crate`)).length === 0);
    await app.close();
  });
});
