import { Database, grantRoles, migrate, roleOf } from '@gangan/database';
import { migrateQueue, queueGrants } from '@gangan/queue';
import { createTestDatabase, runSql, type TestDatabase } from '@gangan/testing';
import { AdminCli } from './admin-cli.js';

/** A migrated database, and a user with the privileges of operators, who does not own the tables. */
export class AdminFixture {
  /** As the owner of the tables. */
  readonly database: Database;

  private constructor(
    private readonly postgres: TestDatabase,
    readonly operator: string,
    /** As `operator`. */
    readonly url: string,
  ) {
    this.database = new Database({ url: postgres.url, poolSize: 4 });
  }

  static async create(): Promise<AdminFixture> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    await grantRoles(postgres.url, queueGrants);
    const url = new URL(postgres.url);
    const role = roleOf('operator', url.pathname.slice(1));
    const [username, password] = [`${role}_login`, 'secret'];
    await runSql(postgres.url, `CREATE ROLE "${username}" LOGIN PASSWORD '${password}' IN ROLE "${role}"`);
    return new AdminFixture(postgres, username, Object.assign(url, { username, password }).href);
  }

  /** The command line of an operator. */
  cli(environment: Record<string, string> = {}): AdminCli {
    return new AdminCli({ DATABASE_URL: this.url, ...environment });
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}
