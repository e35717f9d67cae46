import type { ContactFilter, ContactPageQuery, ContactRowsPage, ContactTable } from '@gangan/contracts';
import { Database, migrate } from '@gangan/database';
import { BatchScope, newContext, runInContext } from '@gangan/protocol';
import { RuntimeConfig } from '@gangan/runtime';
import { anOrganisation, type Columns, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { ContactsConfig } from '../../src/contacts.config.js';
import { QueryRepository } from '../../src/query/query.repository.js';
import { QuerySlots } from '../../src/query/query-slots.js';
import { QueryService } from '../../src/query/query.service.js';
import { Quotas } from '../../src/quotas/quotas.js';
import { OptOutsRepository } from '../../src/rows/opt-outs.repository.js';
import { RowsRepository } from '../../src/rows/rows.repository.js';
import { RowsService } from '../../src/rows/rows.service.js';
import { UpsertsRepository } from '../../src/rows/upserts.repository.js';
import { SmartlistsRepository } from '../../src/smartlists/smartlists.repository.js';
import { SmartlistsService } from '../../src/smartlists/smartlists.service.js';
import { TablesRepository } from '../../src/tables/tables.repository.js';
import { TablesService } from '../../src/tables/tables.service.js';
import { Retention } from '../../src/retention/retention.js';

export const config = new ContactsConfig({
  CONTACT_TRANSFERS_AT_A_TIME: 2,
  CONTACT_IMPORT_KEPT_FOR: '1h',
  CONTACT_EXPORT_KEPT_FOR: '1h',
  CONTACT_ROWS: 0,
  STORED_BYTES: 0,
  UNFINISHED_IMPORTS: 10,
});

/** A contacts worker without a queue, on a real database. */
export class TestContacts {
  readonly tables: TablesService;
  readonly rows: RowsService;
  readonly queries: QueryService;
  readonly slots: QuerySlots;
  readonly smartlists: SmartlistsService;
  readonly rowsRepository: RowsRepository;
  readonly upserts: UpsertsRepository;
  readonly retention: Retention;
  /** Only unfinished imports are limited by default. */
  readonly quotas = new Quotas(config);

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
    poolSize: number,
  ) {
    const tables = new TablesRepository(database, new ContactsConfig({}));
    const smartlists = new SmartlistsRepository(database);
    this.rowsRepository = new RowsRepository(database, this.quotas);
    this.upserts = new UpsertsRepository(this.rowsRepository);
    this.tables = new TablesService(tables);
    const optOuts = new OptOutsRepository(database);
    this.rows = new RowsService(tables, this.rowsRepository, optOuts);
    this.slots = new QuerySlots(new RuntimeConfig({ DATABASE_POOL_SIZE: poolSize }));
    const queries = new QueryRepository(database);
    this.queries = new QueryService(tables, smartlists, queries, optOuts, this.slots);
    this.smartlists = new SmartlistsService(tables, smartlists);
    this.retention = new Retention(database, config);
  }

  static async open(poolSize = 10): Promise<TestContacts> {
    const postgres = await createTestDatabase(migrate);
    return new TestContacts(
      postgres,
      new Database({ url: postgres.url, poolSize, connectionTimeoutMs: 30_000 }),
      poolSize,
    );
  }

  get url(): string {
    return this.postgres.url;
  }

  async organisation(columns: Columns = {}): Promise<string> {
    return (await anOrganisation(this.database, columns)).id;
  }

  /** Adds a row. Its cells are given by column name. */
  async add(organisationId: string, cells: Readonly<Record<string, string>> = {}): Promise<string> {
    const columns = byId(await this.table(organisationId), cells);
    return (await this.rows.create({ columns }, newContext({ organisationId }))).row.id;
  }

  table(organisationId: string): Promise<ContactTable> {
    return this.tables.read(newContext({ organisationId }));
  }

  query(
    organisationId: string,
    filters: readonly ContactFilter[] = [],
    page: ContactPageQuery = {},
    smartlistId?: string,
  ): Promise<ContactRowsPage> {
    const rows = {
      filters: [...filters],
      ...(smartlistId !== undefined && { smartlist_id: smartlistId }),
    };
    return this.queries.query({ rows, page }, newContext({ organisationId }));
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}

/** Replaces column names by column ids. */
export const byId = (
  { columns }: ContactTable,
  cells: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => [
      columns.find((column) => column.name === name)?.id ?? name,
      cell,
    ]),
  );

/** Runs work as the queue runs the members of one batch. */
export const together = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> => {
  const batch = new BatchScope(count);
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      runInContext(
        newContext(),
        () =>
          work(index).finally(() => {
            batch.memberFinished();
          }),
        batch,
      ),
    ),
  );
};
