import { describe } from '@jest/globals';
import { describeAgainWithRedis } from '@gangan/testing';
import { crashes } from './support/crash.js';
import { startPostgresBroker } from './support/postgres-broker.js';
import { startRedisBroker } from './support/redis-broker.js';

describe('requests of a killed worker on Postgres', () => {
  crashes(startPostgresBroker);
});

describeAgainWithRedis('requests of a killed worker on Redis', () => {
  crashes(startRedisBroker);
});
