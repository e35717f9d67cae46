import { runWithoutContext } from '@gangan/protocol';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { LazyPrismaClient } from './lazy-prisma-client.js';
import { type DatabaseSettings, openPool, timeoutsOf } from './pool.js';
import type { Sql } from './sql/statement.js';
import { inTransaction, Statements } from './sql/statements.js';

/**
 * Everything that is remembered. Three ways in, over one pool: the models (`database.template.create`) for what is
 * rare and simple; `query` and `transaction` for statements written by hand, which carry a whole batch and cost a
 * third of Prisma's `$queryRaw`.
 */
@Injectable()
export class Database extends LazyPrismaClient implements OnApplicationShutdown {
  private readonly pool: pg.Pool;
  private readonly statements: Statements;

  constructor(settings: DatabaseSettings) {
    const logger = new Logger(Database.name);
    const pool = openPool(settings);
    const { connectionTimeoutMs, statementTimeoutMs } = timeoutsOf(settings);
    // Without a listener, a server that closes an idle connection would end the process.
    const noted = (error: Error): void => {
      runWithoutContext(() => {
        logger.warn(`A database connection was lost: ${error.message}`);
      });
    };
    pool.on('error', noted);
    super({
      adapter: new PrismaPg(pool, { onConnectionError: noted }),
      errorFormat: 'minimal',
      transactionOptions: { maxWait: connectionTimeoutMs, timeout: statementTimeoutMs },
    });
    this.pool = pool;
    this.statements = new Statements(pool);
    this.run = this.statements.run.bind(this.statements);
  }

  /** Runs a declared statement (its rows) or command (the number of changed rows). */
  readonly run: Statements['run'];

  /** For ad-hoc SQL in tests and tools; production code declares its statements and calls `run`. */
  query<Row extends object>(statement: Sql): Promise<Row[]> {
    return this.statements.query<Row>(statement);
  }

  /** Like `query`, for the number of changed rows. */
  execute(statement: Sql): Promise<number> {
    return this.statements.execute(statement);
  }

  /**
   * Several statements that hold together: committed when `work` has ended, undone when it throws.
   * @param opening constant statements without values, `SET LOCAL` and the like
   */
  transaction<T>(work: (transaction: Statements) => Promise<T>, opening: readonly string[] = []): Promise<T> {
    return inTransaction(this.pool, work, opening);
  }

  /** Rejects when the database does not answer. */
  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  /** The last hook of all: by then the work in hand has been drained. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }

  async close(): Promise<void> {
    await this.made?.$disconnect();
    if (!this.pool.ending) await this.pool.end();
  }
}
