import type { Database } from '@gangan/database';
import {
  type RedisOptions,
  startRedis,
  type TestRedis,
  TestSystem,
  type TestSystemOptions,
} from '@gangan/testing';
import { afterAll, beforeAll } from '@jest/globals';
import { databaseOf } from './database-of.js';
import type { OwnSystem } from './running.js';

interface OwnSystemOptions extends TestSystemOptions {
  /** With them, the queues are in a Redis of its own instead of Postgres. */
  readonly redis?: RedisOptions;
}

/** A system that only the tests of the surrounding `describe` use. It has seven processes, unless it is compact. */
export function useOwnSystem(
  env: Readonly<Record<string, string>>,
  { redis: redisOptions, ...options }: OwnSystemOptions = {},
): OwnSystem {
  let redis: TestRedis;
  let system: TestSystem;
  let database: Database;
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await database.close();
    await system.stop();
  };
  const stop = (): Promise<void> => (stopped ??= end());
  beforeAll(async () => {
    if (redisOptions) redis = await startRedis(redisOptions);
    system = await TestSystem.open({ ...env, ...(redisOptions && { REDIS_URL: redis.url }) }, options);
    await system.start();
    database = await databaseOf(system);
  });
  afterAll(async () => {
    await stop();
    await system.close();
    if (redisOptions) await redis.stop();
  });
  return { system: () => system, database: () => database, stop, redis: redisOptions && (() => redis) };
}
