import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database } from '@gangan/database';
import { grantRoles, migrate, roleOf } from '@gangan/storage';
import { migrateQueue, queueGrants } from '@gangan/queue';
import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { type DatabaseSource, ownDatabase } from '../../src/session/session.js';
import { AdminCli } from './admin-cli.js';

/** A migrated database, and a user with the privileges of operators, who does not own the tables. */
export class AdminFixture {
  /** As the owner of the tables. */
  database!: Database;
  operator!: string;
  /** As `operator`. */
  url!: string;
  private postgres!: TestDatabase;
  /** Of operators. Shared by all commands: a Prisma client of their own would take most of their time. */
  private readonly shared = new Map<string, Database | undefined>();
  private readonly databases: DatabaseSource = {
    open: (url) => {
      const database = this.shared.get(url) ?? ownDatabase.open(url);
      if (this.shared.has(url)) this.shared.set(url, database);
      return database;
    },
    release: async (database) => {
      if (![...this.shared.values()].includes(database)) await ownDatabase.release(database);
    },
  };
  private readonly endings: (() => Promise<void>)[] = [];

  private constructor() {}

  /** Open while the tests of the surrounding `describe` run. */
  static use(): AdminFixture {
    const fixture = new AdminFixture();
    beforeAll(() => fixture.open());
    afterAll(() => fixture.close());
    return fixture;
  }

  private async open(): Promise<void> {
    this.postgres = await createTestDatabase(migrate, migrateQueue);
    await grantRoles(this.postgres.url, queueGrants);
    const url = new URL(this.postgres.url);
    const role = roleOf('operator', url.pathname.slice(1));
    const [username, password] = [`${role}_login`, 'secret'];
    await runSql(
      this.postgres.url,
      `CREATE ROLE "${username}" LOGIN PASSWORD '${password}' IN ROLE "${role}"`,
    );
    this.operator = username;
    this.url = Object.assign(url, { username, password }).href;
    this.shared.set(this.url, undefined);
    this.database = new Database({ url: this.postgres.url, poolSize: 4 });
  }

  /** The command line of an operator. */
  cli(environment: Record<string, string> = {}): AdminCli {
    return new AdminCli(() => ({ DATABASE_URL: this.url, ...environment }), this.databases);
  }

  /** The command line of the owner of the tables. */
  owner(environment: Record<string, string> = {}): AdminCli {
    return new AdminCli(() => ({ DATABASE_URL: this.postgres.url, ...environment }), this.databases);
  }

  /** Adds an operator with a login of their own, and returns its URL. */
  async addOperator(name: string): Promise<string> {
    const added = await this.owner().json<{ database_url: string }>('operators', 'add', name);
    this.shared.set(added.database_url, undefined);
    return added.database_url;
  }

  /** A folder for the files of the tests. */
  async folder(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), 'gangan-admin-'));
    this.atEnd(() => rm(path, { recursive: true, force: true }));
    return path;
  }

  /** Runs before the database is closed. */
  atEnd(ending: () => Promise<void>): void {
    this.endings.push(ending);
  }

  private async close(): Promise<void> {
    for (const ending of this.endings) await ending();
    for (const database of this.shared.values()) await database?.close();
    await this.database.close();
    await this.postgres.drop();
  }
}
