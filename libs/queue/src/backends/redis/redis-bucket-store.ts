import type { Result } from 'ioredis';
import type { RedisClient } from './redis-connections.js';
import {
  type BucketStore,
  type Grant,
  inUseMs,
  type LastCall,
  type TokenRequest,
} from '../../limits/bucket-store.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    ganganTakeTokens(
      key: string,
      count: number,
      perSecond: number,
      burst: number,
      atMost: number | '',
      caller: string,
      calledAgo: number | '',
      otherAgo: number | '',
    ): Result<
      [granted: number, tokens: string, caller: string, calledAgo: string, otherAgo: string],
      Context
    >;
  }
}

/**
 * The script formats numbers itself, because Lua rounds a time to 14 digits. A key expires when its bucket would be full and
 * no caller is in use.
 */
const take = `
  local count, per_second, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
  local time = redis.call('TIME')
  local now = time[1] + time[2] / 1000000
  local tokens = burst
  local known = redis.call('HMGET', KEYS[1], 'tokens', 'asked_at', 'caller', 'called_at', 'other_at')
  if known[1] then
    local asked_at = tonumber(known[2])
    now = math.max(now, asked_at)
    tokens = math.min(burst, tonumber(known[1]) + (now - asked_at) * per_second)
  end
  tokens = math.min(tokens, tonumber(ARGV[4]) or tokens)
  local granted = math.min(count, math.floor(tokens))
  tokens = tokens - granted
  redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'asked_at', string.format('%.6f', now))
  local kept_ms = math.ceil((burst - tokens) / per_second * 1000) + 1
  if ARGV[5] == '' then
    redis.call('PEXPIRE', KEYS[1], kept_ms)
    return { granted, string.format('%.6f', tokens), '', '', '' }
  end
  redis.call('PEXPIRE', KEYS[1], math.max(kept_ms, ${inUseMs}))
  local caller, called_at = ARGV[5], now - tonumber(ARGV[6])
  local other_at = ARGV[7] ~= '' and now - tonumber(ARGV[7])
  local later = function(one, other) return one and other and math.max(one, other) or one or other end
  if known[3] then
    local known_at = tonumber(known[4])
    other_at = later(other_at, tonumber(known[5]))
    if known[3] ~= caller then other_at = later(other_at, math.min(called_at, known_at)) end
    if known_at > called_at then caller = known[3] end
    called_at = math.max(called_at, known_at)
  end
  redis.call('HSET', KEYS[1], 'caller', caller, 'called_at', string.format('%.6f', called_at))
  if other_at then redis.call('HSET', KEYS[1], 'other_at', string.format('%.6f', other_at)) end
  return { granted, string.format('%.6f', tokens), caller, string.format('%.6f', now - called_at),
    other_at and string.format('%.6f', now - other_at) or '' }`;

const inSeconds = (ms: number | undefined): number | '' => (ms === undefined ? '' : ms / 1_000);

const toLastCall = (caller: string, calledAgo: string, otherAgo: string): LastCall | undefined =>
  caller === ''
    ? undefined
    : {
        caller,
        agoMs: Number(calledAgo) * 1_000,
        otherAgoMs: otherAgo === '' ? undefined : Number(otherAgo) * 1_000,
      };

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
      requests.map(async ({ bucket, count, limit: { perSecond, burst }, atMost, lastCall }) => {
        const key = `{${this.namespace}:limit:${bucket}}`;
        const [granted, tokens, ...lastCallNow] = await this.client.ganganTakeTokens(
          key,
          count,
          perSecond,
          burst,
          atMost ?? '',
          lastCall?.caller ?? '',
          inSeconds(lastCall?.agoMs),
          inSeconds(lastCall?.otherAgoMs),
        );
        return { granted, tokens: Number(tokens), lastCall: toLastCall(...lastCallNow) };
      }),
    );
  }
}
