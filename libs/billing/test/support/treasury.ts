import { Database, type OrganisationMode } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { anOrganisation, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { type Balances, balancesOf } from '../../src/index.js';

/** A real database with organisations that have money. */
export class Treasury {
  private constructor(
    readonly database: Database,
    private readonly postgres: TestDatabase,
  ) {}

  static async open(poolSize = 8): Promise<Treasury> {
    const postgres = await createTestDatabase(migrate);
    // A test may ask for much more at once than a busy machine does within the usual time.
    const settings = { url: postgres.url, poolSize, connectionTimeoutMs: 60_000 };
    return new Treasury(new Database(settings), postgres);
  }

  async organisation(kobo = 0n, mode: OrganisationMode = 'test'): Promise<string> {
    return (await anOrganisation(this.database, { mode, balanceKobo: kobo })).id;
  }

  balances(organisationId: string): Promise<Balances> {
    return balancesOf(this.database, organisationId);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}
