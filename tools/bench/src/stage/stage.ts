import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Database, migrate } from '@gangan/database';
import { migrateQueue, newQueueKey, type QueueSettings } from '@gangan/queue';
import type { Running } from '../bench.js';
import type { BrokerKind } from '../ways/way.js';
import { Servers } from './servers.js';

/** What a process says once it is ready. */
export interface Ready {
  readonly type: 'ready';
  readonly port?: number;
  readonly metricsPort?: number;
}

export interface Backstage {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeFlags?: readonly string[];
}

const queueConnections = 4;
/** For looks at tables that have grown, on a machine that is busy. */
const statementTimeoutMs = 600_000;

/** A migrated database, a queue, apps and whatever else is brought in, from their start to their end. */
export class Stage {
  readonly databaseUrl: string;
  readonly queue: QueueSettings;
  readonly database: Database;
  private readonly ends: (() => Promise<unknown>)[] = [];
  private readonly environment: NodeJS.ProcessEnv;
  private closed?: Promise<void>;

  private constructor(servers: Servers, on: BrokerKind) {
    const { databaseUrl, redisUrl } = servers;
    this.databaseUrl = databaseUrl;
    const key = newQueueKey();
    this.queue = { connection: servers.queueOn(on, queueConnections), keys: [key] };
    this.atEnd(() => servers.stop());
    this.database = new Database({ url: databaseUrl, poolSize: 4, statementTimeoutMs });
    this.atEnd(() => this.database.close());
    this.environment = {
      PATH: process.env['PATH'],
      NODE_ENV: 'development',
      LOG_LEVEL: 'error',
      DATABASE_URL: databaseUrl,
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      QUEUE_KEY: key,
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      PORT: '0',
      // Load is what is measured here: nobody is turned away for it.
      MAX_EVENT_LOOP_DELAY_MS: '0',
    };
  }

  /** Sets it for a piece of work, and clears it whatever comes of that. */
  static async for<T>(on: BrokerKind, running: Running, work: (stage: Stage) => Promise<T>): Promise<T> {
    const servers = await Servers.start([on]);
    const stage = new Stage(servers, on);
    running(stage);
    try {
      await migrate(servers.databaseUrl);
      await migrateQueue(servers.databaseUrl);
      return await work(stage);
    } finally {
      await stage.close();
    }
  }

  app(name: string, backstage: Backstage = {}): Promise<Ready> {
    return this.fork(new URL(`../../../../apps/${name}/dist/main.js`, import.meta.url), backstage);
  }

  async fork(script: URL, { args = [], env = {}, nodeFlags = [] }: Backstage = {}): Promise<Ready> {
    const child = fork(fileURLToPath(script), args, {
      env: { ...this.environment, ...env },
      execArgv: [...nodeFlags],
    });
    this.atEnd(() => kill(child));
    const [said] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    if (isReady(said)) return said;
    throw new Error(`${fileURLToPath(script)} does not start`);
  }

  /** What was brought in last leaves first. */
  atEnd(end: () => Promise<unknown>): void {
    this.ends.unshift(end);
  }

  /** May be called from where the work goes wrong and from where the user loses patience, at once. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    for (const end of this.ends) await end();
  }
}

const isReady = (said: unknown): said is Ready => (Object(said) as Partial<Ready>).type === 'ready';

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
