import { Database, migrate, sql, type Statements } from '@gangan/database';
import { Registry } from '@gangan/runtime';
import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { type LeasedTables, LeaseHolder, LeaseTable, LeaseTakeover } from '../../src/index.js';

export interface Job {
  readonly id: string;
  readonly attempt: number;
}

/** One process: its heartbeat and its sweeps happen when a test calls them. */
export interface TestProcess {
  readonly holder: LeaseHolder;
  readonly takeover: LeaseTakeover;
  readonly metrics: Registry;
  readonly warnings: string[];
}

const jobs = new LeaseTable({
  table: 'job',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'due_at',
  holder: 'lease_holder',
});

/** An hour: longer than any test lets time pass. */
const leaseMs = 3_600_000;

const tables: Pick<LeasedTables, 'all'> = {
  all: () =>
    new Map([
      ['job', (transaction: Statements, holder: bigint) => transaction.execute(jobs.takeOver({ holder }))],
    ]),
};

/** A database with jobs, and processes that lease them. Time passes when a test says so. */
export class TestHolders {
  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
  ) {}

  static async open(): Promise<TestHolders> {
    const postgres = await createTestDatabase(migrate);
    const database = new Database({ url: postgres.url, poolSize: 4 });
    await database.execute(sql`
      CREATE TABLE job (id text PRIMARY KEY, attempt int DEFAULT 0, due_at timestamptz(3), lease_holder bigint)`);
    return new TestHolders(postgres, database);
  }

  /** Three due jobs, and no process. */
  async reset(): Promise<void> {
    await this.database.execute(sql`DELETE FROM lease_holder`);
    await this.database.execute(sql`DELETE FROM job`);
    await this.database.execute(sql`
      INSERT INTO job (id, due_at) SELECT id, now() - interval '1 minute' FROM unnest(ARRAY['a', 'b', 'c']) AS id`);
  }

  /** Starts a process, which writes its first heartbeat. */
  async start(app: string): Promise<TestProcess> {
    const warnings: string[] = [];
    const warn = (_: object, message: string): void => void warnings.push(message);
    const logger = {
      ...{ debug: () => undefined, info: () => undefined, warn },
      ...{ error: () => undefined, fatal: () => undefined },
    };
    const holder = new LeaseHolder(app, this.database, logger);
    const metrics = new Registry();
    const takeover = new LeaseTakeover(this.database, holder, tables as LeasedTables, logger, metrics);
    await holder.beat();
    return { holder, takeover, metrics, warnings };
  }

  /** Claims those of the jobs that are due. */
  async claim({ holder }: TestProcess, ids: readonly string[]): Promise<Job[]> {
    return this.database.query<Job>(
      jobs.claimDue({
        ...{ limit: ids.length, leaseMs, holder: holder.id, returning: sql`id, attempt` },
        where: sql`id = ANY (${[...ids]}::text[])`,
      }),
    );
  }

  async claimOne(process: TestProcess, id: string): Promise<Job> {
    const [claimed] = await this.claim(process, [id]);
    if (!claimed) throw new Error(`${id} is not due`);
    return claimed;
  }

  finish(job: Job): Promise<boolean> {
    return jobs.finish(this.database, { ...job }, sql`due_at = NULL`);
  }

  release(job: Job, delayMs: number): Promise<boolean> {
    return jobs.release(this.database, { ...job }, delayMs);
  }

  /** Lets seconds pass, in which these processes write their heartbeats. */
  async pass(seconds: number, living: readonly TestProcess[]): Promise<void> {
    for (let rest = seconds; rest > 0; rest -= 2) {
      const step = sql`${living.length > 0 ? Math.min(rest, 2) : seconds}::float8 * interval '1 second'`;
      await this.database.execute(
        sql`UPDATE lease_holder SET heartbeat_at = heartbeat_at - ${step}, steady_since = steady_since - ${step}`,
      );
      await this.database.execute(sql`UPDATE job SET due_at = due_at - ${step}`);
      if (living.length === 0) return;
      for (const { holder } of living) await holder.beat();
    }
  }

  async restartDatabase(): Promise<void> {
    await this.postgres.kill();
    await this.postgres.restart();
  }

  async due(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      sql`SELECT id FROM job WHERE due_at <= now() AND attempt > 0 ORDER BY id`,
    );
    return rows.map(({ id }) => id);
  }

  /** The processes that hold leases in the future. */
  async leases(): Promise<{ id: string; holder: bigint | null }[]> {
    return this.database.query(
      sql`SELECT id, lease_holder AS holder FROM job WHERE due_at > now() AND attempt > 0 ORDER BY id`,
    );
  }

  async registered(): Promise<bigint[]> {
    const rows = await this.database.query<{ id: bigint }>(sql`SELECT id FROM lease_holder ORDER BY id`);
    return rows.map(({ id }) => id);
  }

  /** How many rows the process has taken over. */
  async takenOver({ metrics }: TestProcess): Promise<number> {
    const metric = await metrics.getSingleMetric('gangan_leases_taken_over_total')?.get();
    return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0;
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}
