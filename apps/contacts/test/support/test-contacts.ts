import type { ContactFilter, ContactPageQuery, ContactRowsPage, ContactTable } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { Announcer, Retention } from '@gangan/leases';
import { BatchScope, newContext, runInContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger, Registry, RuntimeConfig } from '@gangan/runtime';
import {
  anOrganisation,
  type Columns,
  configFor,
  createTestDatabase,
  createTestModule,
  type InjectedValue,
  type TestDatabase,
  type TestingModule,
  valueFor,
} from '@gangan/testing';
import type { Type } from '@nestjs/common';
import { ContactsConfig } from '../../src/contacts.config.js';
import { ContactsModule } from '../../src/contacts.module.js';
import { QueryService } from '../../src/query/query.service.js';
import { ContactTallies } from '../../src/retention/contact-tallies.js';
import { RemovedColumns } from '../../src/retention/removed-columns.js';
import { RowsRepository } from '../../src/rows/rows.repository.js';
import { RowsService } from '../../src/rows/rows.service.js';
import { UpsertsRepository } from '../../src/rows/upserts.repository.js';
import { SmartlistsService } from '../../src/smartlists/smartlists.service.js';
import { TablesService } from '../../src/tables/tables.service.js';

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
};

/** Only unfinished imports are limited by default. */
const config = {
  CONTACT_IMPORT_KEPT_FOR: '1h',
  CONTACT_EXPORT_KEPT_FOR: '1h',
  CONTACT_ROWS: 0,
  STORED_BYTES: 0,
};

/** A contacts worker without a queue, on a real database. */
export class TestContacts {
  readonly tables: TablesService;
  readonly rows: RowsService;
  readonly queries: QueryService;
  readonly smartlists: SmartlistsService;
  readonly rowsRepository: RowsRepository;
  readonly upserts: UpsertsRepository;
  readonly retention: Retention;
  readonly tallies: ContactTallies;
  readonly removedColumns: RemovedColumns;

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
    private readonly module: TestingModule,
  ) {
    this.tables = module.get(TablesService);
    this.rows = module.get(RowsService);
    this.queries = module.get(QueryService);
    this.smartlists = module.get(SmartlistsService);
    this.rowsRepository = module.get(RowsRepository);
    this.upserts = module.get(UpsertsRepository);
    this.retention = module.get(Retention);
    this.tallies = module.get(ContactTallies);
    this.removedColumns = module.get(RemovedColumns);
  }

  static async open(poolSize = 10): Promise<TestContacts> {
    const postgres = await createTestDatabase(migrate);
    const database = new Database({ url: postgres.url, poolSize, connectionTimeoutMs: 30_000 });
    const pool = valueFor(RuntimeConfig, new RuntimeConfig({ DATABASE_POOL_SIZE: poolSize }));
    return new TestContacts(postgres, database, await createWorker(database, [pool]));
  }

  /** Another worker on the same database. */
  worker(values: readonly InjectedValue[]): Promise<TestingModule> {
    return createWorker(this.database, values);
  }

  get<T>(provider: Type<T>): T {
    return this.module.get(provider);
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

const createWorker = (database: Database, values: readonly InjectedValue[]): Promise<TestingModule> =>
  createTestModule(ContactsModule, [
    valueFor(Database, database),
    configFor(ContactsConfig, config),
    valueFor(RuntimeConfig, new RuntimeConfig({ DATABASE_POOL_SIZE: 10 })),
    valueFor(AppLogger, silent),
    valueFor(Registry, new Registry()),
    valueFor(QueueClient, {}),
    valueFor(Announcer, { announce: () => Promise.resolve() }),
    ...values,
  ]);

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
