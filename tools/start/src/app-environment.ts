import { type Settings, StartError } from './settings.js';

const workers = ['messaging', 'otp', 'airtime', 'lookup', 'contacts', 'callback'] as const;

/** A small young generation saves 20 MB per worker. The gateway, which makes most garbage, keeps Node's default. */
export const apps = [
  { name: 'gateway', role: 'gateway', nodeFlags: [] },
  ...workers.map((name) => ({ name, role: 'worker', nodeFlags: ['--max-semi-space-size=1'] }) as const),
] as const;

type PoolSizes = Readonly<Settings['maxPoolSizes']>;

/** With the queue in Postgres, each lane of a worker (up to five) holds a connection of its pool. */
const minPoolSizes = { gateway: { database: 2, queue: 2 }, worker: { database: 2, queue: 7 } } as const;

/** Left free for psql, migrations and backups. */
const reservedConnections = 5;

/** Shares the free connections of the server evenly between the pools of all apps. */
export function shareConnections(
  free: number,
  queueInPostgres: boolean,
  max: PoolSizes,
): Map<string, PoolSizes> {
  const shared = new Map(apps.map(({ name, role }) => [name, { ...minPoolSizes[role] }]));
  const kinds = queueInPostgres ? (['database', 'queue'] as const) : (['database'] as const);
  const pools = [...shared.values()].flatMap((sizes: Record<keyof PoolSizes, number>) =>
    kinds.map((kind) => ({ sizes, kind })),
  );
  // Outside the pools: the heartbeats of workers, and the replies in a queue in Postgres.
  const outsidePools = reservedConnections + workers.length + (queueInPostgres ? apps.length : 0);
  const needed = pools.reduce((sum, { sizes, kind }) => sum + sizes[kind], outsidePools);
  if (needed > free) {
    throw new StartError(
      `The database can take ${free} more connections, and the apps need ${needed}. ` +
        `Raise its max_connections by at least ${needed - free} and restart it` +
        (queueInPostgres ? ', or set REDIS_URL so that the queues need none.' : '.'),
    );
  }
  for (let left = free - needed; ;) {
    const growing = pools.filter(({ sizes, kind }) => sizes[kind] < max[kind]).slice(0, left);
    if (growing.length === 0) return shared;
    for (const { sizes, kind } of growing) sizes[kind] += 1;
    left -= growing.length;
  }
}

/** Secrets that only these apps read. */
const readers: Readonly<Record<string, readonly string[]>> = {
  DATA_KEY: ['messaging', 'otp', 'airtime', 'lookup', 'callback'],
  OTP_PEPPER: ['otp'],
  LOOKUP_PROVIDER_SECRET: ['lookup'],
  LOOKUP_PROVIDER_SECRET_FILE: ['lookup'],
};

/** What one app inherits: everything but the secrets of other apps. */
export const inheritedBy = (app: string, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => readers[name]?.includes(app) ?? true));

type SharedValues = Readonly<Record<'databaseUrl' | 'queueKey' | 'url' | 'compileCache', string>>;

/** The variables of one app. What the user has set stays, except ports, pools and keys. */
export const environmentOf = (
  inherited: NodeJS.ProcessEnv,
  settings: Settings,
  shared: SharedValues,
  pools: PoolSizes,
): NodeJS.ProcessEnv => ({
  NODE_ENV: 'development',
  PUBLIC_URL: shared.url,
  // The demo key is public, so only this machine is served by default.
  HOST: settings.host,
  METRICS_HOST: '127.0.0.1',
  ...(settings.databaseUrl === undefined && { CALLBACK_ALLOW_PRIVATE: 'true' }),
  ...(settings.databaseUrl === undefined && !settings.production && { SIMULATE_LIVE: 'true' }),
  // glibc would keep a heap per thread.
  MALLOC_ARENA_MAX: '2',
  // Node 22 and newer cache compiled code here; Node 20 ignores it.
  NODE_COMPILE_CACHE: shared.compileCache,
  ...Object.fromEntries(Object.entries(inherited).filter(([, value]) => value?.trim())),
  PORT: String(settings.port),
  METRICS_PORT: '0',
  DATABASE_URL: shared.databaseUrl,
  QUEUE_KEY: shared.queueKey,
  DATABASE_POOL_SIZE: String(pools.database),
  QUEUE_POOL_SIZE: String(pools.queue),
});
