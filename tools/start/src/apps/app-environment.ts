import { appVariable } from '@gangan/protocol';
import type { PoolSizes } from './share-connections.js';
import type { Settings } from '../settings.js';

type SharedValues = Readonly<Record<'databaseUrl' | 'queueKeys' | 'url' | 'compileCache', string>> & {
  /** Of the embedded database. */
  readonly databaseFolder?: string;
};

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
  ...(settings.databaseUrl === undefined &&
    !settings.production && { CALLBACK_ALLOW_PRIVATE: 'true', SIMULATE_LIVE: 'true' }),
  ...(shared.databaseFolder !== undefined && { DATABASE_FOLDER: shared.databaseFolder }),
  // glibc would keep a heap per thread.
  MALLOC_ARENA_MAX: '2',
  // Node 22 and newer cache compiled code here; Node 20 ignores it.
  NODE_COMPILE_CACHE: shared.compileCache,
  ...Object.fromEntries(Object.entries(inherited).filter(([, value]) => value?.trim())),
  PORT: String(settings.port),
  METRICS_PORT: '0',
  DATABASE_URL: shared.databaseUrl,
  QUEUE_KEYS: shared.queueKeys,
  DATABASE_POOL_SIZE: String(pools.database),
  QUEUE_POOL_SIZE: String(pools.queue),
});

/**
 * The environment without the keys of queues and data, which every app gets from this command and for itself only. The shell of an
 * operator may have those of all apps, under their names in Compose and in compact mode, and the master key.
 */
export const withoutKeys = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/(?:^|_)(?:QUEUE|DATA)_(?:KEYS?|MASTER_KEY)(?:_FILE)?$/.test(name),
    ),
  );

/**
 * The variables of a process that runs several apps. What is not the same in all apps is given to each under its own name. The
 * value that the user has set for all keeps its plain name: Node and the process itself read it.
 */
export function mergeEnvironments(
  byApp: Readonly<Record<string, NodeJS.ProcessEnv>>,
  inherited: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const apps = Object.entries(byApp);
  const names = new Set(apps.flatMap(([, env]) => Object.keys(env)));
  const merged = [...names].flatMap((name) => {
    const values = apps.map(([app, env]) => [appVariable(app, name), env[name]] as const);
    const [first] = values;
    if (values.every(([, value]) => value === first?.[1])) return [[name, first?.[1]] as const];
    const own = values.filter(([, value]) => value !== undefined);
    // An app without a value of its own would take the plain one.
    const hasPlain = own.length === apps.length && own.some(([, value]) => value === inherited[name]);
    return hasPlain ? [[name, inherited[name]] as const, ...own] : own;
  });
  return Object.fromEntries(merged);
}
