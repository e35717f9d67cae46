import { describe, expect, it } from '@jest/globals';
import { AppError } from '@gangan/protocol';
import { type LimitDecision, Limits, type Queues } from '@gangan/queue';
import type { FastifyReply } from 'fastify';
import type { ActiveKey } from '../auth/api-key.repository.js';
import type { GatewayConfig } from '../gateway.config.js';
import { organisationLimit, RateLimiter, shareOf } from './rate-limiter.js';

const defaults = { perSecond: 100, burst: 200 };
const limitOf = (requestsPerSecond: number | null, requestBurst: number | null) =>
  organisationLimit({ requestsPerSecond, requestBurst }, defaults);

describe('the limit of an organisation', () => {
  it('is the default where its row is NULL', () => {
    expect(limitOf(null, null)).toEqual(defaults);
    expect(limitOf(20, null)).toEqual({ perSecond: 20, burst: 200 });
    expect(limitOf(null, 50)).toEqual({ perSecond: 100, burst: 50 });
  });

  it('allows a burst of one second if only the rate was raised', () => {
    expect(limitOf(5_000, null)).toEqual({ perSecond: 5_000, burst: 5_000 });
  });

  it('is taken from its row', () => {
    expect(limitOf(10, 5)).toEqual({ perSecond: 10, burst: 5 });
  });

  it('does not exist with a rate of 0, its own or by default', () => {
    expect(limitOf(0, null)).toBeUndefined();
    expect(limitOf(0, 50)).toBeUndefined();
    expect(
      organisationLimit({ requestsPerSecond: null, requestBurst: 5 }, { perSecond: 0, burst: 200 }),
    ).toBeUndefined();
  });

  it('is not disabled by a burst of 0', () => {
    expect(limitOf(10, 0)).toEqual({ perSecond: 10, burst: 10 });
  });

  it('is divided between keys, at least one request each', () => {
    expect(shareOf(defaults, 80)).toEqual({ perSecond: 80, burst: 160 });
    expect(shareOf({ perSecond: 1, burst: 1 }, 10)).toEqual({ perSecond: 0.1, burst: 1 });
  });
});

describe('RateLimiter', () => {
  const decision = (allowed: boolean, remaining: number): LimitDecision => ({
    allowed,
    remaining,
    fullInMs: 1_500,
    nextInMs: allowed ? 0 : 500,
  });
  const key = {
    ...{ id: 'k', newestId: 'k', organisationId: 'o', fairKeys: false },
    ...{ requestsPerSecond: null, requestBurst: null },
  } as ActiveKey;

  /** A limiter whose buckets answer at once or later, and what it does with a request. */
  function admit(buckets: Readonly<Record<string, LimitDecision>>, isLater: boolean, percent: number) {
    const takeAtOnce = (name: string) => {
      const taken = buckets[name] ?? decision(true, 100);
      return isLater ? Promise.resolve(taken) : taken;
    };
    const config = { RATE_LIMIT_PER_SECOND: 10, RATE_LIMIT_BURST: 20, RATE_LIMIT_KEY_PERCENT: percent };
    const limits = { takeAtOnce, giveBack: () => undefined };
    const limiter = new RateLimiter({ limits } as unknown as Queues, config as GatewayConfig);
    const headers: Record<string, string> = {};
    const reply = { headers: (values: object) => Object.assign(headers, values) } as unknown as FastifyReply;
    return { headers, error: limiter.admit(key, reply) };
  }

  it.each([
    [{ 'organisation:o': decision(true, 5) }, undefined, '5'],
    [{ 'organisation:o': decision(true, 5), 'key:k': decision(true, 3) }, undefined, '3'],
    [{ 'organisation:o': decision(true, 3), 'key:k': decision(true, 5) }, undefined, '3'],
    [{ 'organisation:o': decision(false, 0), 'key:k': decision(true, 5) }, 'organisation', '0'],
    [{ 'organisation:o': decision(true, 5), 'key:k': decision(false, 0) }, 'key', '0'],
  ])('decides the same whether %j is known at once or later', async (buckets, refusing, remaining) => {
    const [now, later] = [admit(buckets, false, 50), admit(buckets, true, 50)];
    expect(now.error).not.toBeInstanceOf(Promise);
    expect(later.error).toBeInstanceOf(Promise);
    const error = await later.error;
    expect(now.error).toEqual(error);
    expect(now.headers).toEqual(later.headers);
    expect(now.headers['ratelimit-remaining']).toBe(remaining);
    expect(error instanceof AppError ? error.fields[0]?.field : undefined).toBe(refusing);
  });

  it('asks only for the bucket of the organisation if a key may use all of it', () => {
    const { error, headers } = admit({ 'key:k': decision(false, 0) }, false, 100);
    expect([error, headers['ratelimit-remaining']]).toEqual([undefined, '100']);
  });

  describe('with several tokens', () => {
    /** A limiter with real buckets in memory, which never refill. */
    function limiterWith(levels: Readonly<Record<string, number>>, burst: number, percent: number) {
      const left: Record<string, number> = { ...levels };
      const take = (name: string): LimitDecision => {
        const allowed = (left[name] ?? 0) > 0;
        if (allowed) left[name] = (left[name] ?? 0) - 1;
        return { allowed, remaining: left[name] ?? 0, fullInMs: 0, nextInMs: allowed ? 0 : 100 };
      };
      const limits = {
        takeAtOnce: take,
        take: (name: string) => Promise.resolve(take(name)),
        giveBack: (name: string, _: unknown, count: number) => {
          left[name] = (left[name] ?? 0) + count;
        },
      };
      const config = {
        // A burst is at least as large as the rate.
        RATE_LIMIT_PER_SECOND: Math.min(10, burst),
        RATE_LIMIT_BURST: burst,
        RATE_LIMIT_KEY_PERCENT: percent,
      };
      const limiter = new RateLimiter({ limits } as unknown as Queues, config as GatewayConfig);
      const reply = { headers: () => undefined } as unknown as FastifyReply;
      const admit = async (tokens: number, before?: number) => {
        const error = await limiter.admit(key, reply, tokens, before);
        return error instanceof AppError ? `${error.fields[0]?.field} ${error.retryAfter}` : undefined;
      };
      return { left, admit };
    }

    it('takes what was not taken before', async () => {
      const { left, admit } = limiterWith({ 'organisation:o': 20, 'key:k': 10 }, 20, 50);
      expect(await admit(2)).toBeUndefined();
      expect(await admit(7, 2)).toBeUndefined();
      expect(left).toEqual({ 'organisation:o': 13, 'key:k': 3 });
    });

    it.each([
      ['organisation', { 'organisation:o': 6, 'key:k': 10 }],
      ['key', { 'organisation:o': 20, 'key:k': 6 }],
    ])('keeps only what it took before if the bucket of the %s is too empty', async (owner, levels) => {
      const { left, admit } = limiterWith(levels, 20, 50);
      expect(await admit(2)).toBeUndefined();
      const refusal = await admit(10, 2);
      // Time for all ten tokens at 10 per second: 5 per second for the key.
      expect(refusal).toBe(owner === 'key' ? 'key 2' : 'organisation 1');
      const before = { 'organisation:o': levels['organisation:o'] - 2, 'key:k': levels['key:k'] - 2 };
      expect(left).toEqual(before);
    });

    it('gives all back that one bucket gave if the other refuses at once', async () => {
      const levels = { 'organisation:o': 0, 'key:k': 10 };
      const { left, admit } = limiterWith(levels, 20, 50);
      expect(await admit(4)).toBe('organisation 1');
      expect(left).toEqual(levels);
    });

    it('takes no more than the buckets hold', async () => {
      const { left, admit } = limiterWith({ 'organisation:o': 4, 'key:k': 2 }, 4, 50);
      expect(await admit(1)).toBeUndefined();
      expect(await admit(10, 1)).toBeUndefined();
      expect(left).toEqual({ 'organisation:o': 0, 'key:k': 0 });
      expect(await admit(1)).toBe('key 1');
    });

    it('takes nothing twice if what was taken before is all that a bucket holds', async () => {
      const { left, admit } = limiterWith({ 'organisation:o': 4, 'key:k': 2 }, 4, 50);
      expect(await admit(2)).toBeUndefined();
      expect(await admit(10, 2)).toBeUndefined();
      expect(left).toEqual({ 'organisation:o': 0, 'key:k': 0 });
    });
  });

  describe('for keys that share the rate fairly', () => {
    /** A limiter with buckets in memory: the store is never reached. */
    function limiterWith(percent = 100) {
      const clock = { now: 0 };
      const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
      const store = { take: () => Promise.reject(new Error('away')) };
      const limits = new Limits(store, 1_000, silent, () => clock.now);
      const config = { RATE_LIMIT_PER_SECOND: 10, RATE_LIMIT_BURST: 20, RATE_LIMIT_KEY_PERCENT: percent };
      const limiter = new RateLimiter({ limits } as unknown as Queues, config as GatewayConfig);
      const reply = { headers: () => undefined } as unknown as FastifyReply;
      const refusal = async (id: string, newestId: string, fairKeys: boolean) => {
        const error = await limiter.admit({ ...key, id, newestId, fairKeys }, reply);
        return error instanceof AppError ? error.fields[0] : undefined;
      };
      /** How many requests of a key pass, of one every 10 ms. */
      const passing = async (id: string, ms: number, { newestId = id, fairKeys = true } = {}) => {
        let count = 0;
        for (const end = clock.now + ms; clock.now < end; clock.now += 10)
          if (!(await refusal(id, newestId, fairKeys))) count += 1;
        return count;
      };
      return { clock, passing, refusal: (id: string) => refusal(id, id, true) };
    }

    it('gives a key half of what is left, and half of the rate, until the other one was not in use for 10 s', async () => {
      const { passing, refusal } = limiterWith();
      expect(await passing('other', 10)).toBe(1);
      // 19 tokens are left: 9 of them, and 5 per second.
      expect(await passing('k', 4_000)).toBe(9 + 20);
      expect(await refusal('k')).toEqual({
        field: 'key',
        message: expect.stringMatching(
          /^While another API key .* 5 requests per second, in bursts of up to 10$/,
        ),
        type: 'rate_limited',
      });
      expect(await passing('k', 6_010)).toBeLessThanOrEqual(31);
      expect(await passing('k', 4_000)).toBeGreaterThanOrEqual(40 + 15);
    });

    it('lets a key that is alone use all of the rate', async () => {
      expect(await limiterWith().passing('k', 4_000)).toBe(20 + 40 - 1);
    });

    it('counts a key and its successor as one', async () => {
      const { passing } = limiterWith();
      expect(await passing('old', 10, { newestId: 'k' })).toBe(1);
      expect(await passing('k', 4_000)).toBe(19 + 40);
    });

    it('does not limit keys that share it freely', async () => {
      const { passing } = limiterWith();
      expect(await passing('other', 10, { fairKeys: false })).toBe(1);
      expect(await passing('k', 4_000, { fairKeys: false })).toBe(19 + 40);
    });

    it('keeps a smaller share of every key', async () => {
      const { passing } = limiterWith(20);
      expect(await passing('other', 10)).toBe(1);
      expect(await passing('k', 4_000)).toBe(4 + 8 - 1);
    });
  });
});
