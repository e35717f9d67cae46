import type { BrokerKind } from '@gangan/testing';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { allContracts } from '@gangan/contracts';
import { Database, migrate } from '@gangan/database';
import { appNames, appVariable } from '@gangan/protocol';
import { deriveQueueKeys, MasterKeys, migrateQueue, newQueueKey, type QueueSettings } from '@gangan/queue';
import { DataSealer, newSealingKey } from '@gangan/sealing';
import type { Track } from '../bench.js';
import { appScript } from '../scripts.js';
import { Servers } from './servers.js';

/** The message of a process that is ready. */
export interface Ready {
  readonly type: 'ready';
  readonly port?: number;
  readonly metricsPort?: number;
}

/** A process that is ready. */
export interface Started extends Ready {
  readonly pid: number;
}

export interface ForkOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeFlags?: readonly string[];
}

const queueConnections = 4;
/** Queries of large tables take long on a busy machine. */
const statementTimeoutMs = 600_000;

/** A migrated database, a queue, apps and other processes. Closes everything at the end. */
export class BenchEnvironment {
  readonly databaseUrl: string;
  readonly queue: QueueSettings;
  readonly database: Database;
  readonly sealer: DataSealer;
  private readonly ends: (() => Promise<unknown>)[] = [];
  private readonly variables: NodeJS.ProcessEnv;
  private closed?: Promise<void>;

  private constructor(servers: Servers, on: BrokerKind) {
    const { databaseUrl, redisUrl } = servers;
    this.databaseUrl = databaseUrl;
    const [key, dataKey] = [newQueueKey(), newSealingKey()];
    this.sealer = new DataSealer([dataKey]);
    this.queue = {
      connection: servers.queueOn(on, queueConnections),
      app: 'gateway',
      keys: new MasterKeys([key]),
    };
    this.atEnd(() => servers.stop());
    this.database = new Database({ url: databaseUrl, poolSize: 4, statementTimeoutMs });
    this.atEnd(() => this.database.close());
    this.variables = {
      PATH: process.env['PATH'],
      NODE_ENV: 'development',
      SIMULATE_LIVE: 'true',
      LOG_LEVEL: 'error',
      DATABASE_URL: databaseUrl,
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      ...Object.fromEntries(
        appNames.map((app) => [appVariable(app, 'QUEUE_KEYS'), deriveQueueKeys([key], app, allContracts)]),
      ),
      DATA_KEY: dataKey,
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      PORT: '0',
      // The load is intended, so no request is refused because of it.
      MAX_EVENT_LOOP_DELAY_MS: '0',
    };
  }

  /** Starts an environment, runs `work` and closes it, also after a failure. */
  static async for<T>(
    on: BrokerKind,
    track: Track,
    work: (environment: BenchEnvironment) => Promise<T>,
  ): Promise<T> {
    const servers = await Servers.start([on]);
    const environment = new BenchEnvironment(servers, on);
    track(environment);
    try {
      await migrate(servers.databaseUrl);
      await migrateQueue(servers.databaseUrl);
      return await work(environment);
    } finally {
      await environment.close();
    }
  }

  app(name: string, options: ForkOptions = {}): Promise<Started> {
    return this.fork(appScript(name), options);
  }

  async fork(script: URL, { args = [], env = {}, nodeFlags = [] }: ForkOptions = {}): Promise<Started> {
    const child = fork(fileURLToPath(script), args, {
      env: { ...this.variables, ...env },
      execArgv: [...nodeFlags],
    });
    this.atEnd(() => kill(child));
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    if (isReady(message)) return { ...message, pid: child.pid ?? 0 };
    throw new Error(`${fileURLToPath(script)} did not start`);
  }

  /** Registers a clean-up. The last one runs first. */
  atEnd(end: () => Promise<unknown>): void {
    this.ends.unshift(end);
  }

  /** Can be called twice: after a failure, and by an interrupt. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    for (const end of this.ends) await end();
  }
}

const isReady = (message: unknown): message is Ready => (Object(message) as Partial<Ready>).type === 'ready';

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
