import { Database, migrate, type OrganisationMode } from '@gangan/database';
import { anOrganisation, startPostgres, type TestPostgres } from '@gangan/testing';
import { type Balances, balancesOf } from '../../src/index.js';

/** A real database with organisations that have money. */
export class Treasury {
  private constructor(
    readonly database: Database,
    private readonly postgres?: TestPostgres,
  ) {}

  /** On a server of its own, which reports a deadlock long before a lock timeout. */
  static async open(poolSize = 8): Promise<Treasury> {
    const postgres = await startPostgres({ deadlock_timeout: '20ms' });
    await migrate(postgres.url);
    // A test may ask for much more at once than a busy machine does within the usual time.
    const settings = { url: postgres.url, poolSize, connectionTimeoutMs: 60_000 };
    return new Treasury(new Database(settings), postgres);
  }

  /** In an empty database of a running server. */
  static async in(url: string): Promise<Treasury> {
    await migrate(url);
    return new Treasury(new Database({ url, poolSize: 1 }));
  }

  async organisation(kobo = 0n, mode: OrganisationMode = 'test'): Promise<string> {
    return (await anOrganisation(this.database, { mode, balanceKobo: kobo })).id;
  }

  balances(organisationId: string): Promise<Balances> {
    return balancesOf(this.database, organisationId);
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres?.stop();
  }
}
