import { describeAgainWithRedis } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { QueueAdmin } from '../src/index.js';
import { administration } from './support/administration.js';
import { startPostgresBroker } from './support/postgres-broker.js';
import { startRedisBroker } from './support/redis-broker.js';
import { LogBook } from './support/system.js';

describe('administration on Postgres', () => {
  administration(startPostgresBroker);
});

describeAgainWithRedis('administration on Redis', () => {
  administration(startRedisBroker);
});

describe('administration without a broker', () => {
  it.each([
    { kind: 'redis', url: 'redis://127.0.0.1:1' } as const,
    { kind: 'postgres', url: 'postgresql://stranger@127.0.0.1:1/x', poolSize: 1 } as const,
  ])('gives up on $kind', async (connection) => {
    await expect(QueueAdmin.open({ connection }, new LogBook(), 0)).rejects.toThrow();
  });
});
