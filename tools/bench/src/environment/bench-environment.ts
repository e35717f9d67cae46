import { allContracts } from '@gangan/contracts';
import { Database } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { appNames, appVariable } from '@gangan/protocol';
import { deriveQueueKeys, MasterKeys, migrateQueue, newQueueKey, type QueueSettings } from '@gangan/queue';
import { type DataSealer, deriveDataKeys, masterSealer, newSealingKey } from '@gangan/sealing';
import { type BrokerKind, startPostgres, startRedis } from '@gangan/testing';
import type { Child, ChildOptions } from '../processes/child.js';
import type { Resources } from '../processes/resources.js';
import { appScript } from '../scripts.js';

/** As durable as in production, unlike a test server. */
const durable = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' };
const queueConnections = 4;
/** Queries of large tables take long on a busy machine. */
const statementTimeoutMs = 600_000;

/** A migrated database, a queue, apps and other processes. */
export class BenchEnvironment {
  private constructor(
    readonly resources: Resources,
    readonly database: Database,
    readonly databaseUrl: string,
    readonly queue: QueueSettings,
    readonly sealer: DataSealer,
    private readonly variables: NodeJS.ProcessEnv,
  ) {}

  static async start(on: BrokerKind, resources: Resources): Promise<BenchEnvironment> {
    const postgres = await startPostgres(durable);
    resources.atEnd(() => postgres.stop());
    const { url } = postgres;
    const redisUrl = on === 'redis' ? await openRedis(resources) : undefined;
    await migrate(url);
    await migrateQueue(url);
    const database = new Database({ url, poolSize: 4, statementTimeoutMs });
    resources.atEnd(() => database.close());
    const [key, dataKey] = [newQueueKey(), newSealingKey()];
    const connection =
      redisUrl === undefined
        ? ({ kind: 'postgres', url, poolSize: queueConnections } as const)
        : ({ kind: 'redis', url: redisUrl } as const);
    const variables = {
      PATH: process.env['PATH'],
      NODE_ENV: 'development',
      SIMULATE_LIVE: 'true',
      LOG_LEVEL: 'error',
      DATABASE_URL: url,
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      ...Object.fromEntries(
        appNames.map((app) => [appVariable(app, 'QUEUE_KEYS'), deriveQueueKeys([key], app, allContracts)]),
      ),
      ...Object.fromEntries(
        appNames.map((app) => [appVariable(app, 'DATA_KEYS'), deriveDataKeys([dataKey], app)]),
      ),
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      PORT: '0',
      // The load is intended, so no request is refused because of it.
      MAX_EVENT_LOOP_DELAY_MS: '0',
    };
    const queue = { connection, app: 'gateway', keys: new MasterKeys([key]) } as const;
    return new BenchEnvironment(resources, database, url, queue, masterSealer([dataKey]), variables);
  }

  app(name: string, options: ChildOptions = {}): Promise<Child> {
    return this.fork(appScript(name), options);
  }

  fork(script: URL, options: ChildOptions = {}): Promise<Child> {
    return this.resources.fork(script, { ...options, env: { ...this.variables, ...options.env } });
  }
}

async function openRedis(resources: Resources): Promise<string> {
  const redis = await startRedis({ appendOnly: true, settings: { 'maxmemory-policy': 'noeviction' } });
  resources.atEnd(() => redis.stop());
  return redis.url;
}
