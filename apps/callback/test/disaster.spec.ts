import { sql } from '@gangan/database';
import { describeAgainWithRedis, startRedis } from '@gangan/testing';
import { describe } from '@jest/globals';
import { disaster } from './support/disaster.js';

describe('killing workers and emptying the queue in Postgres', () => {
  disaster((callbacks) =>
    Promise.resolve({
      connection: { kind: 'postgres', url: callbacks.url, poolSize: 4 },
      env: {},
      flush: async () => {
        await callbacks.database.execute(sql`TRUNCATE bullmq.job CASCADE`);
      },
      stop: () => Promise.resolve(),
    }),
  );
});

describeAgainWithRedis('killing workers and emptying the queue in Redis', () => {
  disaster(async () => {
    const redis = await startRedis();
    return {
      connection: { kind: 'redis', url: redis.url },
      env: { REDIS_URL: redis.url },
      flush: () => redis.flush(),
      stop: () => redis.stop(),
    };
  });
});
