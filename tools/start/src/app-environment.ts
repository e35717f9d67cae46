import { type Settings, StartError } from './settings.js';

export interface AppSpec {
  readonly name: string;
  /** The gateway sends requests to the queue and waits; workers handle them. */
  readonly role: 'gateway' | 'worker';
}

const workers = ['messaging', 'otp', 'airtime', 'lookup', 'contacts', 'callback'];

export const apps: readonly AppSpec[] = [
  { name: 'gateway', role: 'gateway' },
  ...workers.map((name) => ({ name, role: 'worker' as const })),
];

/** A small young generation saves 30 MB per worker. The gateway, which makes most garbage, keeps Node's default. */
export const nodeFlags = { gateway: [], worker: ['--max-semi-space-size=1'] } as const;

export interface PoolSizes {
  readonly database: number;
  readonly queue: number;
}

/** More connections make nothing faster on a small machine. */
export const maxPoolSizes: PoolSizes = { database: 8, queue: 8 };

/** With the queue in Postgres, each lane of a worker (up to five) holds a connection of its pool. */
const minPoolSizes = { gateway: { database: 2, queue: 2 }, worker: { database: 2, queue: 7 } } as const;

/** Left free for psql, migrations and backups. */
const reservedConnections = 5;

/** Shares the free connections of the server evenly between the pools of all apps. */
export function shareConnections(
  specs: readonly AppSpec[],
  free: number,
  queueInPostgres: boolean,
  max: PoolSizes = maxPoolSizes,
): Map<string, PoolSizes> {
  const shared = new Map(specs.map(({ name, role }) => [name, { ...minPoolSizes[role] }]));
  const pools: Record<keyof PoolSizes, number>[] = [...shared.values()];
  const kinds = queueInPostgres ? (['database', 'queue'] as const) : (['database'] as const);
  // With the queue in Postgres, replies arrive on one more connection per process, outside the pools.
  const outsidePools = reservedConnections + (queueInPostgres ? specs.length : 0);
  const needed = pools.reduce(
    (sum, pool) => kinds.reduce((all, kind) => all + pool[kind], sum),
    outsidePools,
  );
  if (needed > free) {
    throw new StartError(
      `The database can take ${free} more connections, and the apps need ${needed}. ` +
        `Raise its max_connections by at least ${needed - free} and restart it` +
        (queueInPostgres ? ', or set REDIS_URL so that the queues need none.' : '.'),
    );
  }
  for (let left = free - needed, before = 0; left !== before;) {
    before = left;
    for (const pool of pools) {
      for (const kind of kinds.filter((each) => pool[each] < max[each]).slice(0, left)) {
        pool[kind] += 1;
        left -= 1;
      }
    }
  }
  return shared;
}

export interface Facts {
  readonly databaseUrl: string;
  readonly queueKey: string;
  readonly url: string;
  readonly compileCache: string;
}

/** The variables of one app. What the user has set stays, except ports, pools and keys. */
export const environmentOf = (
  inherited: NodeJS.ProcessEnv,
  settings: Settings,
  facts: Facts,
  pools: PoolSizes,
): NodeJS.ProcessEnv => ({
  NODE_ENV: 'development',
  PUBLIC_URL: facts.url,
  // The demo key is public, so only this machine is served by default.
  HOST: settings.host,
  METRICS_HOST: '127.0.0.1',
  ...(settings.databaseUrl === undefined && { CALLBACK_ALLOW_PRIVATE: 'true' }),
  // glibc would keep a heap per thread.
  MALLOC_ARENA_MAX: '2',
  // Node 22 and newer cache compiled code here; Node 20 ignores it.
  NODE_COMPILE_CACHE: facts.compileCache,
  ...Object.fromEntries(Object.entries(inherited).filter(([, value]) => value?.trim())),
  PORT: String(settings.port),
  METRICS_PORT: '0',
  DATABASE_URL: facts.databaseUrl,
  QUEUE_KEY: facts.queueKey,
  DATABASE_POOL_SIZE: String(pools.database),
  QUEUE_POOL_SIZE: String(pools.queue),
});
