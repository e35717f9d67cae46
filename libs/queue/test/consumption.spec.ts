import { describe } from '@jest/globals';
import { describeAgainWithRedis } from '@gangan/testing';
import { consumption } from './support/consumption.js';
import { startPostgresBroker } from './support/postgres-broker.js';
import { startRedisBroker } from './support/redis-broker.js';

describe('a worker that has stopped taking jobs, on Postgres', () => {
  consumption(startPostgresBroker);
});

describeAgainWithRedis('a worker that has stopped taking jobs, on Redis', () => {
  consumption(startRedisBroker);
});
