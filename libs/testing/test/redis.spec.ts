import { expect, it } from '@jest/globals';
import { describeWithRedis, startRedis, startRedisCluster } from '../src/index.js';

describeWithRedis('a test Redis', () => {
  it('keeps its data at a restart only if asked', async () => {
    for (const appendOnly of [false, true]) {
      const redis = await startRedis({ appendOnly });
      await redis.command('SET word gangan');
      await redis.restart();
      expect(await redis.command('EXISTS word')).toMatch(appendOnly ? /^:1/ : /^:0/);
      await redis.stop();
    }
  });

  it('can be flushed, killed and restarted', async () => {
    const redis = await startRedis({ appendOnly: true });
    await redis.command('SET word gangan');
    await redis.kill();
    await expect(redis.command('PING')).rejects.toThrow();
    await redis.restart();
    expect(await redis.command('EXISTS word')).toMatch(/^:1/);
    await redis.flush();
    expect(await redis.command('EXISTS word')).toMatch(/^:0/);
    await redis.stop();
  });

  it('starts a cluster of three', async () => {
    const cluster = await startRedisCluster();
    expect(cluster.url).toMatch(/^redis-cluster:\/\/127\.0\.0\.1:\d+,127\.0\.0\.1:\d+,127\.0\.0\.1:\d+$/);
    const replies = await Promise.all(
      cluster.nodes.map((node) => node.command('SET word gangan').catch((error: unknown) => String(error))),
    );
    expect(replies.filter((reply) => reply.startsWith('+OK'))).toHaveLength(1);
    expect(replies.filter((reply) => reply.includes('MOVED'))).toHaveLength(2);
    await cluster.stop();
  });
});
