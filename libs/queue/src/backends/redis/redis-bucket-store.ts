import type { Result } from 'ioredis';
import type { RedisClient } from './redis-connections.js';
import type { BucketStore, Grant, TokenRequest } from '../../limits/bucket-store.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    ganganTakeTokens(
      key: string,
      count: number,
      perSecond: number,
      burst: number,
    ): Result<[granted: number, tokens: string], Context>;
  }
}

/** Formats numbers itself: Lua rounds a time to 14 digits. A key expires when its bucket would be full. */
const take = `
  local count, per_second, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local time = redis.call('TIME')
  local now = time[1] + time[2] / 1000000
  local tokens = burst
  local known = redis.call('HMGET', KEYS[1], 'tokens', 'asked_at')
  if known[1] then
    local asked_at = tonumber(known[2])
    now = math.max(now, asked_at)
    tokens = math.min(burst, tonumber(known[1]) + (now - asked_at) * per_second)
  end
  local granted = math.min(count, math.floor(tokens))
  tokens = tokens - granted
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'asked_at', string.format('%.6f', now))
  redis.call('PEXPIRE', KEYS[1], math.ceil((burst - tokens) / per_second * 1000) + 1)
  return { granted, string.format('%.6f', tokens) }`;

export class RedisBucketStore implements BucketStore {
  constructor(
    private readonly client: RedisClient,
    private readonly namespace: string,
  ) {
    client.defineCommand('ganganTakeTokens', { numberOfKeys: 1, lua: take });
  }

  /** One command per bucket, because buckets are on different nodes of a cluster; the commands are pipelined. */
  take(requests: readonly TokenRequest[]): Promise<Grant[]> {
    return Promise.all(
      requests.map(async ({ bucket, count, limit: { perSecond, burst } }) => {
        const key = `{${this.namespace}:limit:${bucket}}`;
        const [granted, tokens] = await this.client.ganganTakeTokens(key, count, perSecond, burst);
        return { granted, tokens: Number(tokens) };
      }),
    );
  }
}
