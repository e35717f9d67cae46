import { setTimeout as pause } from 'node:timers/promises';
import { describeWithRedis, startRedis, type TestRedis, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { openConnections } from '../src/backends/redis/redis-connections.js';

const address = 'caller';
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

describeWithRedis('the subscription to replies', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('is renewed after an outage', async () => {
    const connections = openConnections(redis.url, 'renewed', silent);
    const received: string[] = [];
    await connections.replies.subscribe(address, (payload) => received.push(payload));
    expect(connections.replies.listening).toBe(true);
    await redis.kill();
    await until('the outage is noticed', () => !connections.replies.listening);
    await redis.restart();
    await until('replies arrive', async () => {
      await connections.replies.publish(address, 'hello').catch(() => undefined);
      return connections.replies.listening && received.includes('hello');
    });
    connections.close();
  });

  it('leaves no rejected promise behind if it is closed during its renewal', async () => {
    const rejections: unknown[] = [];
    const note = (error: unknown): void => void rejections.push(error);
    process.on('unhandledRejection', note);
    const connections = openConnections(redis.url, 'closed', silent);
    await connections.replies.subscribe(address, () => undefined);
    await redis.kill();
    await until('the outage is noticed', () => !connections.replies.listening);
    const { subscriber } = connections.replies as unknown as { subscriber: Redis };
    const subscribe = subscriber.subscribe.bind(subscriber);
    const subscribeAndClose = (...channels: string[]) => {
      const subscribed = subscribe(...channels);
      connections.close();
      // Before the response arrives.
      subscriber.stream.destroy();
      return subscribed;
    };
    Object.assign(subscriber, { subscribe: subscribeAndClose });
    await redis.restart();
    await until('the connection has ended', () => subscriber.status === 'end');
    await pause(50);
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
  });
});
