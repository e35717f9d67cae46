import type { ContactFilter, ContactPageQuery, ContactRowsPage, ContactTable } from '@gangan/contracts';
import { Database, migrate, sql } from '@gangan/database';
import { BatchScope, newContext, newId, runInContext } from '@gangan/protocol';
import { RuntimeConfig } from '@gangan/runtime';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { QueryRepository } from '../../src/query/query.repository.js';
import { QueryTurns } from '../../src/query/query-turns.js';
import { QueryService } from '../../src/query/query.service.js';
import { RowsRepository } from '../../src/rows/rows.repository.js';
import { RowsService } from '../../src/rows/rows.service.js';
import { UpsertRows } from '../../src/rows/upsert-rows.js';
import { SmartlistsRepository } from '../../src/smartlists/smartlists.repository.js';
import { SmartlistsService } from '../../src/smartlists/smartlists.service.js';
import { ColumnsRepository } from '../../src/tables/columns.repository.js';
import { TablesRepository } from '../../src/tables/tables.repository.js';
import { TablesService } from '../../src/tables/tables.service.js';
import { Upkeep } from '../../src/upkeep/upkeep.js';
import { UpkeepRepository } from '../../src/upkeep/upkeep.repository.js';

/** A contacts worker without its queue, on a real database. */
export class Office {
  readonly tables: TablesService;
  readonly rows: RowsService;
  readonly queries: QueryService;
  readonly turns: QueryTurns;
  readonly smartlists: SmartlistsService;
  readonly rowsRepository: RowsRepository;
  readonly upserts: UpsertRows;
  readonly upkeep: Upkeep;

  private constructor(
    private readonly postgres: TestPostgres,
    readonly database: Database,
    poolSize: number,
  ) {
    const tables = new TablesRepository(database);
    const smartlists = new SmartlistsRepository(database);
    this.rowsRepository = new RowsRepository(database);
    this.upserts = new UpsertRows(this.rowsRepository);
    this.tables = new TablesService(tables, new ColumnsRepository(database));
    this.rows = new RowsService(tables, this.rowsRepository);
    this.turns = new QueryTurns(new RuntimeConfig({ DATABASE_POOL_SIZE: poolSize }));
    this.queries = new QueryService(tables, smartlists, new QueryRepository(database), this.turns);
    this.smartlists = new SmartlistsService(tables, smartlists);
    this.upkeep = new Upkeep(new UpkeepRepository(database));
  }

  static async open(poolSize = 10): Promise<Office> {
    const postgres = await startPostgres({ deadlock_timeout: '20ms' });
    await migrate(postgres.url);
    return new Office(postgres, new Database({ url: postgres.url, poolSize }), poolSize);
  }

  get url(): string {
    return this.postgres.url;
  }

  async organisation(): Promise<string> {
    const id = newId();
    await this.database.execute(sql`INSERT INTO account (id, name) VALUES (${id}, 'Test')`);
    await this.database.execute(sql`
      INSERT INTO organisation (id, account_id, mode, default_sender) VALUES (${id}, ${id}, 'test', 'Test')`);
    return id;
  }

  /** Adds a row, its cells by the names of their columns. */
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
    await this.postgres.stop();
  }
}

/** Cells by the ids of their columns. */
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

/** As the queue runs the members of one batch. */
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
