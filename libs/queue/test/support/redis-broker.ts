import { startRedis, startRedisCluster } from '@gangan/testing';
import { Redis } from 'ioredis';
import type { Broker } from './broker.js';

export async function startRedisBroker(): Promise<Broker> {
  const redis = await startRedis({ appendOnly: true });
  return {
    connection: { kind: 'redis', url: redis.url },
    outage: { begin: () => redis.kill(), end: () => redis.restart() },
    stop: () => redis.stop(),
    dump: () => dumpKeys(redis.port),
  };
}

export async function startClusterBroker(): Promise<Broker> {
  const cluster = await startRedisCluster();
  return {
    connection: { kind: 'redis', url: cluster.url },
    stop: () => cluster.stop(),
    dump: async () => (await Promise.all(cluster.nodes.map(({ port }) => dumpKeys(port)))).join('\n'),
  };
}

const readers: Record<string, (redis: Redis, key: string) => Promise<unknown>> = {
  string: (redis, key) => redis.get(key),
  hash: (redis, key) => redis.hgetall(key),
  list: (redis, key) => redis.lrange(key, 0, -1),
  set: (redis, key) => redis.smembers(key),
  zset: (redis, key) => redis.zrange(key, '0', '-1'),
  stream: (redis, key) => redis.xrange(key, '-', '+'),
};

async function dumpKeys(port: number): Promise<string> {
  const redis = new Redis({ port });
  try {
    const texts = await Promise.all(
      (await redis.keys('*')).map(async (key) => {
        const read = readers[await redis.type(key)];
        return `${key} ${JSON.stringify(read && (await read(redis, key)))}`;
      }),
    );
    return texts.join('\n');
  } finally {
    redis.disconnect();
  }
}
