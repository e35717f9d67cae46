import { allContracts } from '@gangan/contracts';
import { Database, type Sql } from '@gangan/database';
import { appNames, appVariable } from '@gangan/protocol';
import { deriveQueueKeys, MasterKeys, migrateQueue, newQueueKey, type QueueSettings } from '@gangan/queue';
import { type DataSealer, deriveDataKeys, masterSealer, newSealingKey } from '@gangan/sealing';
import { migrate } from '@gangan/storage';
import {
  type BrokerKind,
  type Resources,
  ScriptProcess,
  type ScriptOptions,
  startPostgres,
  startRedis,
} from '@gangan/testing';
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
    const { url } = resources.keep(await startPostgres(durable));
    const settings = { 'maxmemory-policy': 'noeviction' };
    const redis =
      on === 'redis' ? resources.keep(await startRedis({ appendOnly: true, settings })) : undefined;
    await migrate(url);
    await migrateQueue(url);
    const database = new Database({ url, poolSize: 4, statementTimeoutMs });
    resources.atEnd(() => database.close());
    const [key, dataKey] = [newQueueKey(), newSealingKey()];
    const variables: NodeJS.ProcessEnv = {};
    for (const app of appNames) {
      variables[appVariable(app, 'QUEUE_KEYS')] = deriveQueueKeys([key], app, allContracts);
      variables[appVariable(app, 'DATA_KEYS')] = deriveDataKeys([dataKey], app);
    }
    Object.assign(variables, {
      PATH: process.env['PATH'],
      NODE_ENV: 'development',
      SIMULATE_LIVE: 'true',
      LOG_LEVEL: 'error',
      DATABASE_URL: url,
      ...(redis && { REDIS_URL: redis.url }),
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
      HOST: '127.0.0.1',
      PORT: '0',
      // The load is intended, so no request is refused because of it.
      MAX_EVENT_LOOP_DELAY_MS: '0',
    });
    const connection = redis
      ? ({ kind: 'redis', url: redis.url } as const)
      : ({ kind: 'postgres', url, poolSize: queueConnections } as const);
    const queue = { connection, app: 'gateway', keys: new MasterKeys([key]) } as const;
    return new BenchEnvironment(resources, database, url, queue, masterSealer([dataKey]), variables);
  }

  app(name: string, options: Partial<ScriptOptions> = {}): Promise<ScriptProcess> {
    return this.fork(appScript(name), options);
  }

  /** Starts a script, and waits until it is ready. */
  async fork(script: string, { env, ...options }: Partial<ScriptOptions> = {}): Promise<ScriptProcess> {
    const started = new ScriptProcess(script, {
      ...options,
      env: { ...this.variables, ...env },
      prints: true,
    });
    this.resources.atEnd(() => started.stop('SIGKILL'));
    await started.untilReady();
    return started;
  }
}

/** Returns the column `value` of the only row. */
export async function readValue<T>(database: Database, statement: Sql): Promise<T> {
  const [row] = await database.query<{ value: T }>(statement);
  if (!row) throw new Error('The statement returned no row');
  return row.value;
}
