import type { Database } from '@gangan/database';
import { describeWithRedis, startRedis, type TestRedis, TestSystem } from '@gangan/testing';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { logsRequestsOfOperators } from './journeys/debugging.js';
import { describeFaults, describeJourneys } from './journeys/journeys.js';
import { describeLive } from './live/live.js';
import { databaseOf } from './support/database-of.js';
import { environment } from './support/environment.js';
import type { OwnSystem } from './support/running.js';

describeWithRedis('the system with its queues in Redis', () => {
  let redis: TestRedis;
  let system: TestSystem;
  let database: Database;
  let stopped: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await database.close();
    await system.stop();
  };
  const stop = (): Promise<void> => (stopped ??= end());
  const running: OwnSystem = {
    system: () => system,
    database: () => database,
    stop,
    redis: () => redis,
  };
  beforeAll(async () => {
    redis = await startRedis({ appendOnly: true, settings: { appendfsync: 'always' } });
    system = await TestSystem.open({ ...environment, REDIS_URL: redis.url });
    await system.start();
    database = await databaseOf(system);
  });
  afterAll(async () => {
    await stop();
    await system.close();
    await redis.stop();
  });

  describeJourneys(running);
  describe('debugging a request', () => {
    logsRequestsOfOperators(running);
  });
  describe('with providers', () => {
    describeLive(running);
  });
  describeFaults(running);
});
