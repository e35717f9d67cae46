import { type PoolUse, poolUse, runWithoutContext } from '@gangan/protocol';
import { type DynamicModule, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { LazyPrismaClient } from './lazy-prisma-client.js';
import { requireServerVersion } from './migrations/server-version.js';
import { type DatabaseSettings, openPool, timeoutsOf } from './pool.js';
import type { Sql } from './sql/statement.js';
import { inTransaction, Statements } from './sql/statements.js';

/**
 * The storage of a process: one pool, two interfaces.
 * - The Prisma models (`database.template.findFirst`, `database.$transaction`) for single-table work that is neither
 *   hot nor batched.
 * - `run` and `transaction` for declared statements: batches, claims, statements over several tables, the ledger. They
 *   cost a third of Prisma's `$queryRaw`, and do not load the client.
 */
@Injectable()
export class Database extends LazyPrismaClient implements OnApplicationShutdown {
  private readonly settings: DatabaseSettings;
  private readonly pool: pg.Pool;
  private readonly statements: Statements;

  constructor(settings: DatabaseSettings) {
    const logger = new Logger(Database.name);
    const pool = openPool(settings);
    const { connectionTimeoutMs, statementTimeoutMs } = timeoutsOf(settings);
    // Without a listener, a server that closes an idle connection would end the process.
    const onError = (error: Error): void => {
      runWithoutContext(() => {
        logger.warn(`A database connection was lost: ${error.message}`);
      });
    };
    pool.on('error', onError);
    super({
      adapter: new PrismaPg(pool, { onConnectionError: onError }),
      errorFormat: 'minimal',
      transactionOptions: { maxWait: connectionTimeoutMs, timeout: statementTimeoutMs },
    });
    this.settings = settings;
    this.pool = pool;
    this.statements = new Statements(pool);
    this.run = this.statements.run.bind(this.statements);
  }

  /** Runs a declared statement and returns its rows, or a command and returns the number of changed rows. */
  readonly run: Statements['run'];

  /** For ad-hoc SQL in tests and tools; production code declares its statements and calls `run`. */
  query<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.statements.query<Row>(statement);
  }

  /** Runs SQL like `query`, and returns the number of changed rows. */
  execute(statement: Sql): Promise<number> {
    return this.statements.execute(statement);
  }

  /**
   * Runs `work` in a transaction: committed when it returns, rolled back when it throws.
   * @param opening constant statements without values, such as `SET LOCAL`; they cost no round trip
   */
  transaction<T>(work: (transaction: Statements) => Promise<T>, opening: readonly string[] = []): Promise<T> {
    return inTransaction(this.pool, work, opening);
  }

  /** Opens another pool for the same database, for work that must not wait for this one. The caller closes it. */
  openSeparate(settings: Omit<DatabaseSettings, 'url'>): Database {
    return new Database({ ...this.settings, ...settings });
  }

  /** Loads the Prisma client before its first use, which would otherwise wait for that. */
  async loadClient(): Promise<void> {
    await this.$queryRaw`SELECT 1`;
  }

  poolUse(): PoolUse {
    return poolUse(this.pool);
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  /** @throws MigrationError if the server is too old */
  requireServerVersion(): Promise<void> {
    return requireServerVersion(this.pool);
  }

  /** This is the last shutdown hook, so work in flight has been drained by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.created?.$disconnect();
    if (!this.pool.ending) await this.pool.end();
  }
}

@Module({})
export class DatabaseModule {
  static forRoot(settings: DatabaseSettings): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: Database, useFactory: () => new Database(settings) }],
      exports: [Database],
    };
  }
}
