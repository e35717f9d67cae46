import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checkLedger } from '@gangan/billing';
import { Database, migrate, sql } from '@gangan/database';
import { migrateQueue, newQueueKey, QueueAdmin } from '@gangan/queue';
import { startPostgres, startRedis, type TestPostgres, type TestRedis } from '@gangan/testing';
import type { LoadResult } from '../load/run-load.js';
import { BenchProcess } from '../processes/bench-process.js';
import { type Customer, openCustomers } from './customers.js';
import type { SmsOptions } from './sms-options.js';
import type { SmsWay } from './sms-report.js';
import { smsRequest } from './sms-requests.js';

const appOf = (name: string): string =>
  fileURLToPath(new URL(`../../../../apps/${name}/dist/main.js`, import.meta.url));
const directServer = fileURLToPath(new URL('direct-server.js', import.meta.url));
const careful = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' };
const customersInAll = 16;
const warmUpMs = 400;
/** For looks at tables that have grown, on a machine that is busy. */
const patienceMs = 120_000;
const deliveryLane = 'delivery-events';
const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A system with gateway and messaging worker, and beside it the direct way on the same database. */
export class SmsRun {
  private readonly children: ChildProcess[] = [];
  private readonly load = new BenchProcess('The load generator');
  private closed?: Promise<void>;
  private admin?: QueueAdmin;
  readonly ports = { system: 0, direct: 0 };
  customers: readonly Customer[] = [];

  private constructor(
    private readonly postgres: TestPostgres,
    private readonly redis: TestRedis | undefined,
    readonly database: Database,
  ) {}

  static async start({ on }: SmsOptions): Promise<SmsRun> {
    const postgres = await startPostgres(careful);
    const redis = on === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
    await migrate(postgres.url);
    await migrateQueue(postgres.url);
    const run = new SmsRun(
      postgres,
      redis,
      new Database({ url: postgres.url, poolSize: 2, statementTimeoutMs: patienceMs }),
    );
    try {
      run.customers = await openCustomers(run.database, customersInAll);
      await run.launch();
    } catch (error) {
      await run.close();
      throw error;
    }
    return run;
  }

  /** @throws when what was answered is not what was done */
  async measure(way: SmsWay, recipients: number, connections: number, seconds: number): Promise<LoadResult> {
    const before = await this.stored();
    const requests = this.customers.map(({ key }) => smsRequest(key, recipients));
    const port = way === 'direct' ? this.ports.direct : this.ports.system;
    if (way === 'accepting') await this.admin?.pause(deliveryLane);
    const load = { port, connections, warmUpMs, measureMs: seconds * 1_000, requests };
    const { result } = await this.load.do({ do: 'load', load }, 'loaded');
    const stored = (await this.stored()) - before;
    const refused = Object.values(result.others).reduce((sum, count) => sum + count, 0);
    if (stored < result.succeeded || stored > result.succeeded + refused) {
      throw new Error(
        `${result.succeeded} messages were accepted, ${refused} were not, and ${stored} are stored`,
      );
    }
    await this.endDeliveries();
    await this.admin?.resume(deliveryLane);
    await this.settle();
    return result;
  }

  /** Ends what still waits to be delivered, so that it does not disturb what is measured next. */
  async settle(): Promise<void> {
    do while (!(await this.isIdle())) await pause(50);
    while ((await this.endDeliveries()) > 0);
  }

  async audit(): Promise<void> {
    const { clean, findings } = await checkLedger(this.database);
    if (!clean) throw new Error(`The books do not agree: ${JSON.stringify(findings)}`);
  }

  /** May be called from where the work goes wrong and from where the user loses patience, at once. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  /** All but those that somebody has in hand at the moment; gives how many that were. */
  private async endDeliveries(): Promise<number> {
    let all = 0;
    for (let some = 1; some > 0; all += some) {
      some = await this.database.execute(sql`
        UPDATE delivery SET state = 'expired', next_attempt_at = NULL WHERE id = ANY (ARRAY(
          SELECT id FROM delivery WHERE lane = 'sms' AND state IN ('queued', 'submitting', 'sent')
          LIMIT 5000 FOR UPDATE SKIP LOCKED))`);
    }
    return all;
  }

  private async isIdle(): Promise<boolean> {
    const lane = await this.admin?.state(deliveryLane);
    return !lane || lane.waiting + lane.active === 0;
  }

  private async stored(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM message`,
    );
    return row?.count ?? 0;
  }

  private async launch(): Promise<void> {
    const { postgres, redis } = this;
    const env = {
      PATH: process.env['PATH'],
      NODE_ENV: 'development',
      LOG_LEVEL: 'error',
      DATABASE_URL: postgres.url,
      ...(redis && { REDIS_URL: redis.url }),
      QUEUE_KEY: newQueueKey(),
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      PORT: '0',
      MAX_EVENT_LOOP_DELAY_MS: '0',
    };
    const organisations = this.customers.map(({ organisationId }) => organisationId).join(',');
    [, this.ports.system, this.ports.direct] = await Promise.all([
      this.fork(appOf('messaging'), [], env),
      this.fork(appOf('gateway'), [], env),
      this.fork(directServer, [postgres.url, organisations], env),
    ]);
    const connection = redis
      ? ({ kind: 'redis', url: redis.url } as const)
      : ({ kind: 'postgres', url: postgres.url, poolSize: 2 } as const);
    this.admin = await QueueAdmin.open({ connection }, quiet);
  }

  /** Gives the port that it listens on. */
  private async fork(script: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
    const child = fork(script, args, { env });
    this.children.push(child);
    const refuse = (): never => {
      throw new Error(`${script} does not start`);
    };
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(refuse)])) as [
      { port?: number },
    ];
    return message.port ?? 0;
  }

  private async end(): Promise<void> {
    await this.load.stop();
    for (const child of this.children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await this.admin?.close();
    await this.database.close();
    await Promise.all([this.postgres.stop(), this.redis?.stop()]);
  }
}
