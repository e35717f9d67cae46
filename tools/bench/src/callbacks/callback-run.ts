import { CallbackAnnouncer, recordCallbacks } from '@gangan/callbacks';
import { createAccount, Database, migrate } from '@gangan/database';
import { migrateQueue, newQueueKey, type QueueConnection, Queues } from '@gangan/queue';
import { startPostgres, startRedis, type TestPostgres, type TestRedis } from '@gangan/testing';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CallbackOptions } from './callback-options.js';
import { Consumers } from './consumers.js';
import { reportTo } from './report-to.js';

const worker = fileURLToPath(new URL('../../../../apps/callback/dist/main.js', import.meta.url));
const tickMs = 50;
const settleMs = 10_000;
/** Of several customers: one's hosts that hang must not be felt by another either. */
const accounts = 4;
const careful = { fsync: 'on', full_page_writes: 'on' };
const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (details: object, message: string) =>
    void process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
  fatal: () => undefined,
};

/** A database, a queue, a callback worker and consumers, from their start to their end. */
export class CallbackRun {
  private readonly consumers = new Consumers();
  private closed?: Promise<void>;

  private constructor(
    private readonly postgres: TestPostgres,
    private readonly redis: TestRedis | undefined,
    private readonly database: Database,
    private readonly queues: Queues,
    private readonly worker: ChildProcess,
    private readonly organisations: readonly string[],
  ) {}

  static async start({ on }: CallbackOptions): Promise<CallbackRun> {
    const postgres = await startPostgres(careful);
    const redis = on === 'redis' ? await startRedis({ appendOnly: true }) : undefined;
    const key = newQueueKey();
    await migrate(postgres.url);
    await migrateQueue(postgres.url);
    const database = new Database({ url: postgres.url, poolSize: 4 });
    const queues = await Queues.open(
      { connection: connectionOf(postgres, redis), keys: [key] },
      'producer',
      quiet,
    );
    const child = fork(worker, {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        LOG_LEVEL: 'error',
        DATABASE_URL: postgres.url,
        ...(redis && { REDIS_URL: redis.url }),
        QUEUE_KEY: key,
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: '0',
        CALLBACK_ALLOW_PRIVATE: 'true',
      },
      execArgv: ['--max-semi-space-size=1'],
    });
    await Promise.race([once(child, 'message'), once(child, 'exit').then(refuse)]);
    const organisations: string[] = [];
    for (let count = 0; count < accounts; count += 1) {
      const account = await database.transaction((transaction) =>
        createAccount(transaction, { name: `Bench ${count}`, sender: 'Bench' }),
      );
      organisations.push(...account.organisations.map(({ id }) => id));
    }
    return new CallbackRun(postgres, redis, database, queues, child, organisations);
  }

  openConsumers(kind: 'healthy' | 'hanging', count: number): Promise<readonly string[]> {
    return this.consumers.open(kind, count);
  }

  /** Reports at a steady rate to each URL; gives how long the healthy ones took to be told. Who was not is at the end. */
  async measure(
    healthy: readonly string[],
    hanging: readonly string[],
    { rate, seconds }: CallbackOptions,
  ): Promise<readonly number[]> {
    const urls = [...healthy, ...hanging];
    await this.consumers.latencies();
    const announcer = new CallbackAnnouncer(this.queues.client, quiet);
    const started = performance.now();
    let reported = 0;
    while (performance.now() - started < seconds * 1_000) {
      const due = Math.floor(((performance.now() - started) / 1_000) * rate * urls.length);
      const some = Array.from({ length: due - reported }, (_, turn) => (reported + turn) % urls.length);
      reported = due;
      await announcer.announce(
        await recordCallbacks(
          this.database,
          some.map((place) => reportTo(urls[place] ?? '', this.organisationOf(place))),
        ),
      );
      await pause(tickMs);
    }
    const rest = reported % urls.length;
    return this.arrived(Math.floor(reported / urls.length) * healthy.length + Math.min(rest, healthy.length));
  }

  private organisationOf(place: number): string {
    return this.organisations[place % this.organisations.length] ?? '';
  }

  private async arrived(expected: number): Promise<readonly number[]> {
    const until = performance.now() + settleMs;
    const milliseconds = [...(await this.consumers.latencies())];
    while (milliseconds.length < expected && performance.now() < until) {
      await pause(tickMs);
      milliseconds.push(...(await this.consumers.latencies()));
    }
    const missing = Math.max(0, expected - milliseconds.length);
    return [...milliseconds, ...Array.from({ length: missing }, () => Infinity)];
  }

  /** May be called from where the work goes wrong and from where the user loses patience, at once. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    if (this.worker.exitCode === null && this.worker.signalCode === null) {
      const ended = once(this.worker, 'exit');
      this.worker.kill('SIGKILL');
      await ended;
    }
    await this.consumers.stop();
    await this.queues.client.close();
    await this.queues.close();
    await this.database.close();
    await Promise.all([this.postgres.stop(), this.redis?.stop()]);
  }
}

const refuse = (): never => {
  throw new Error('The callback worker does not start');
};

const connectionOf = (postgres: TestPostgres, redis: TestRedis | undefined): QueueConnection =>
  redis ? { kind: 'redis', url: redis.url } : { kind: 'postgres', url: postgres.url, poolSize: 4 };
