import type { PoolSizes } from './connections.js';
import type { Settings } from './settings.js';

export interface Facts {
  readonly databaseUrl: string;
  readonly queueKey: string;
  readonly url: string;
  readonly compileCache: string;
}

/** The variables of one app. What the user has set stays, but for what only the supervisor can know. */
export const environmentOf = (
  inherited: NodeJS.ProcessEnv,
  settings: Settings,
  facts: Facts,
  pools: PoolSizes,
): NodeJS.ProcessEnv => ({
  NODE_ENV: 'development',
  PUBLIC_URL: facts.url,
  // With the well-known demo key, only this machine is served unless the user says otherwise.
  HOST: settings.host,
  METRICS_HOST: '127.0.0.1',
  ...(settings.databaseUrl === undefined && { CALLBACK_ALLOW_PRIVATE: 'true' }),
  // glibc would keep a heap per thread.
  MALLOC_ARENA_MAX: '2',
  // Node 22 and newer compile once and load from here; Node 20 takes no notice.
  NODE_COMPILE_CACHE: facts.compileCache,
  ...withoutBlanks(inherited),
  PORT: String(settings.port),
  METRICS_PORT: '0',
  DATABASE_URL: facts.databaseUrl,
  QUEUE_KEY: facts.queueKey,
  DATABASE_POOL_SIZE: String(pools.database),
  QUEUE_POOL_SIZE: String(pools.queue),
});

const withoutBlanks = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
