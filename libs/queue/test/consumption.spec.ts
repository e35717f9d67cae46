import { describe } from '@jest/globals';
import { describeWithRedis } from '@gangan/testing';
import { consumption } from './support/consumption.js';
import { startPostgresBroker } from './support/postgres-broker.js';
import { startRedisBroker } from './support/redis-broker.js';

describe('a worker that has stopped taking jobs, on Postgres', () => {
  consumption(startPostgresBroker);
});

describeWithRedis('a worker that has stopped taking jobs, on Redis', () => {
  consumption(startRedisBroker);
});
