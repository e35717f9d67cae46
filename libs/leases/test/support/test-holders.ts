import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { Registry } from '@gangan/runtime';
import { createTestDatabase, type TestDatabase, until } from '@gangan/testing';
import { ClaimTable, Heartbeat, LeaseHolder, LeaseTakeover } from '../../src/index.js';

export interface Job {
  readonly id: string;
  readonly attempt: number;
}

/** One process: its heartbeat and its sweeps happen when a test calls them. */
export interface TestProcess {
  readonly holder: LeaseHolder;
  beat(): Promise<boolean>;
  sweep(): Promise<boolean>;
  /** Ends the process: its connection is closed, and nothing else happens. */
  kill(): Promise<void>;
  /** Stops in order. */
  stop(): Promise<void>;
  readonly metrics: Registry;
  readonly warnings: string[];
}

const jobs = new ClaimTable({
  table: 'job',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'due_at',
});

const poolSize = 4;

/** An hour: longer than any test lets time pass. */
const leaseMs = 3_600_000;

/** A database with jobs, and processes that lease them. Time passes when a test says so. */
export class TestHolders {
  private readonly heartbeats: Heartbeat[] = [];
  /** The processes whose leases were taken over or released. */
  readonly endings: { readonly holder: bigint; readonly hasDied: boolean }[] = [];

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
  ) {}

  static async open(): Promise<TestHolders> {
    const postgres = await createTestDatabase(migrate);
    const database = new Database({ url: postgres.url, poolSize });
    await database.execute(sql`
      CREATE TABLE job (id text PRIMARY KEY, attempt int DEFAULT 0, due_at timestamptz(3), lease_holder bigint)`);
    return new TestHolders(postgres, database);
  }

  /** Three due jobs, and no process. */
  async reset(): Promise<void> {
    for (const heartbeat of this.heartbeats.splice(0)) await heartbeat.stop();
    this.endings.length = 0;
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
      debug: () => undefined,
      info: () => undefined,
      warn,
      error: () => undefined,
      fatal: () => undefined,
    };
    const holder = new LeaseHolder(app);
    holder.onTakeover('job', (transaction, ended, hasDied) => {
      this.endings.push({ holder: ended, hasDied });
      return transaction.execute(jobs.takeOver({ holder: ended, leaseMs }));
    });
    const heartbeat = new Heartbeat(this.database, holder, logger);
    this.heartbeats.push(heartbeat);
    const metrics = new Registry();
    const takeover = new LeaseTakeover(this.database, holder, heartbeat, logger, metrics);
    await heartbeat.beat();
    return {
      holder,
      metrics,
      warnings,
      beat: () => heartbeat.beat(),
      sweep: () => takeover.sweep(),
      kill: () => heartbeat.stop(),
      stop: () => takeover.onApplicationShutdown(),
    };
  }

  /** Starts two processes; a sweep finds the first one first. */
  async startInOrder(app: string): Promise<[TestProcess, TestProcess]> {
    const [one, other] = [await this.start(app), await this.start(app)];
    return one.holder.id < other.holder.id ? [one, other] : [other, one];
  }

  /** Claims those of the jobs that are due. */
  async claim(
    { holder }: TestProcess,
    ids: readonly string[],
    runner: Pick<Database, 'query'> = this.database,
  ): Promise<Job[]> {
    return runner.query<Job>(
      jobs.claimDue({
        ...holder.lease(leaseMs),
        limit: ids.length,
        returning: sql`id, attempt`,
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

  renew({ holder }: TestProcess, job: Job): Promise<void> {
    return jobs.renew(this.database, { ...job }, holder.lease(leaseMs));
  }

  release(job: Job, delayMs: number): Promise<boolean> {
    return jobs.release(this.database, { ...job }, delayMs);
  }

  /** Lets seconds pass, in which these processes write their heartbeats. */
  async pass(seconds: number, living: readonly TestProcess[]): Promise<void> {
    for (let rest = seconds; rest > 0; rest -= 2) {
      const step = sql`${living.length > 0 ? Math.min(rest, 2) : seconds}::float8 * interval '1 second'`;
      await this.database.execute(
        sql`UPDATE lease_holder SET heartbeat_at = heartbeat_at - ${step}, steady_since = steady_since - ${step},
          connected_since = connected_since - ${step}`,
      );
      await this.database.execute(sql`UPDATE job SET due_at = due_at - ${step}`);
      if (living.length === 0) return;
      for (const process of living) await process.beat();
    }
  }

  /** As if the last heartbeat of the process were so many seconds ago. */
  async silence({ holder }: TestProcess, seconds: number): Promise<void> {
    await this.database.execute(
      sql`UPDATE lease_holder SET heartbeat_at = now() - ${seconds}::float8 * interval '1 second' WHERE id = ${holder.id}`,
    );
  }

  /** Closes the connection of the heartbeats from the side of the database. */
  async cut({ holder }: TestProcess): Promise<void> {
    await this.database.execute(
      sql`SELECT pg_terminate_backend(backend_pid, 10_000) FROM lease_holder WHERE id = ${holder.id}`,
    );
  }

  /** As the heartbeats of an older version, which do not name their connection. */
  async forgetConnection({ holder }: TestProcess): Promise<void> {
    await this.database.execute(
      sql`UPDATE lease_holder SET backend_pid = NULL, backend_start = NULL, connected_since = NULL WHERE id = ${holder.id}`,
    );
  }

  /** Runs `work` while every connection of the pool is in a transaction. */
  async occupyConnections(work: () => Promise<void>, count = poolSize): Promise<void> {
    if (count === 0) return work();
    await this.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT 1`);
      await this.occupyConnections(work, count - 1);
    });
  }

  /** Until a statement waits for a lock. */
  async untilLocked(): Promise<void> {
    await until('a statement waits for a lock', async () => {
      const waiting = await this.database.query(
        sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
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
    await this.reset();
    await this.database.close();
    await this.postgres.drop();
  }
}
