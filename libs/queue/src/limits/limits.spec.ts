import { currentContext, newContext, runInContext } from '@gangan/protocol';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { BucketStore, Grant, Limit, LimitDecision, TokenRequest } from './bucket-store.js';
import { Limits } from './limits.js';
import { TokenBucket } from './local-bucket.js';

/** A store in memory that can be slow, fail, or not answer at all. */
class FakeStore implements BucketStore {
  readonly calls: (readonly TokenRequest[])[] = [];
  private readonly buckets = new Map<string, TokenBucket>();
  answer: (grants: Grant[]) => Promise<Grant[]> = (grants) => Promise.resolve(grants);

  constructor(private readonly now: () => number) {}

  take(requests: readonly TokenRequest[]): Promise<Grant[]> {
    this.calls.push(requests);
    return this.answer(
      requests.map(({ bucket: name, count, limit }) => {
        const bucket = this.buckets.get(name) ?? new TokenBucket();
        this.buckets.set(name, bucket);
        const granted = bucket.take(count, limit, this.now());
        return { granted, tokens: bucket.level(limit, this.now()) };
      }),
    );
  }
}

function setUp() {
  const clock = { now: 1_000 };
  const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const store = new FakeStore(() => clock.now);
  const process = () => new Limits(store, 100, log, () => clock.now);
  return { clock, log, store, process };
}

const many = (count: number, limits: Limits, limit: Limit, bucket = 'a'): Promise<LimitDecision[]> =>
  Promise.all(Array.from({ length: count }, () => limits.take(bucket, limit)));

const allowed = (taken: readonly LimitDecision[]): number => taken.filter((one) => one.allowed).length;

describe('Limits', () => {
  it('log errors of their store outside of the request that caused the call', async () => {
    const { log, store, process } = setUp();
    store.answer = () => Promise.reject(new Error('away'));
    const contexts: unknown[] = [];
    log.warn.mockImplementation(() => contexts.push(currentContext()));
    await runInContext(newContext(), () => process().take('a', { perSecond: 1, burst: 1 }));
    expect(contexts).toEqual([undefined]);
  });

  it('calls the store once for everything that comes together, of any bucket', async () => {
    const { store, process } = setUp();
    const limits = process();
    const limit = { perSecond: 1, burst: 5 };
    const [a, b] = await Promise.all([many(3, limits, limit, 'a'), many(8, limits, limit, 'b')]);
    expect([allowed(a), allowed(b)]).toEqual([3, 5]);
    expect(store.calls).toHaveLength(1);
  });

  it('decides without a promise while it has prefetched tokens', async () => {
    const { clock, process } = setUp();
    const limits = process();
    const limit = { perSecond: 1_000, burst: 1_000 };
    expect(limits.takeAtOnce('a', limit)).toBeInstanceOf(Promise);
    await many(100, limits, limit);
    clock.now += 100;
    await many(100, limits, limit);
    expect(limits.takeAtOnce('a', limit)).toMatchObject({ allowed: true });
  });

  it('serves in the order of arrival', async () => {
    const { process } = setUp();
    const taken = await many(5, process(), { perSecond: 1, burst: 3 });
    expect(taken.map((one) => one.allowed)).toEqual([true, true, true, false, false]);
  });

  it('collects what comes during a call into the next', async () => {
    const { store, process } = setUp();
    const limits = process();
    const limit = { perSecond: 1, burst: 9 };
    let answer = (): void => undefined;
    store.answer = (grants) =>
      new Promise((resolve) => {
        answer = () => {
          resolve(grants);
        };
      });
    const early = many(4, limits, limit);
    await new Promise(setImmediate);
    const late = many(4, limits, limit);
    store.answer = (grants) => Promise.resolve(grants);
    answer();
    expect([allowed(await early), allowed(await late)]).toEqual([4, 4]);
    expect(store.calls.map(([ask]) => ask?.count)).toEqual([4, 4]);
  });

  it('returns what is left, when the bucket is full and when the next token comes', async () => {
    const { process } = setUp();
    const limits = process();
    const limit = { perSecond: 2, burst: 4 };
    expect(await limits.take('a', limit)).toEqual({
      allowed: true,
      remaining: 3,
      fullInMs: 500,
      nextInMs: 0,
    });
    await many(3, limits, limit);
    expect(await limits.take('a', limit)).toEqual({
      allowed: false,
      remaining: 0,
      fullInMs: 2_000,
      nextInMs: 500,
    });
  });

  it('refuses without a call until an empty bucket can have refilled', async () => {
    const { clock, store, process } = setUp();
    const limits = process();
    const limit = { perSecond: 10, burst: 3 };
    await many(4, limits, limit);
    clock.now += 99;
    expect(allowed(await many(50, limits, limit))).toBe(0);
    expect(store.calls).toHaveLength(1);
    clock.now += 1;
    expect(allowed(await many(1, limits, limit))).toBe(1);
    expect(store.calls).toHaveLength(2);
  });

  it('needs few calls under a steady load', async () => {
    const { clock, store, process } = setUp();
    const limits = process();
    for (let millisecond = 0; millisecond < 2_000; millisecond += 1) {
      expect(allowed(await many(5, limits, { perSecond: 10_000, burst: 20_000 }))).toBe(5);
      clock.now += 1;
    }
    expect(store.calls.length).toBeLessThan(100);
  });

  it('does not exceed the limit with two processes, however they are used', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ perSecond: fc.integer({ min: 1, max: 500 }), burst: fc.integer({ min: 1, max: 500 }) }),
        fc.array(fc.tuple(fc.nat({ max: 1 }), fc.nat({ max: 80 }), fc.nat({ max: 700 })), { maxLength: 25 }),
        async (limit, steps) => {
          const { clock, process } = setUp();
          const processes = [process(), process()] as const;
          let sum = 0;
          let ms = 0;
          for (const [which, count, pauseMs] of steps) {
            sum += allowed(await many(count, processes[which === 0 ? 0 : 1], limit));
            expect(sum).toBeLessThanOrEqual(limit.burst + (ms / 1_000) * limit.perSecond + 1e-6);
            clock.now += pauseMs;
            ms += pauseMs;
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('allows everything that stays within the limit', async () => {
    const { clock, process } = setUp();
    const limits = process();
    for (let round = 0; round < 200; round += 1) {
      expect(allowed(await many(20, limits, { perSecond: 100, burst: 200 }))).toBe(20);
      clock.now += 200;
    }
  });

  it('serves requests for several tokens up to the limit, if the refused ones give theirs back', async () => {
    const { clock, process } = setUp();
    const limits = process();
    const limit = { perSecond: 100, burst: 10 };
    let served = 0;
    for (; clock.now < 11_000; clock.now += 25) {
      const taken = await many(5, limits, limit);
      if (allowed(taken) === 5) served += 5;
      else limits.giveBack('a', limit, allowed(taken));
    }
    expect(served).toBeGreaterThan(800);
    expect(served).toBeLessThanOrEqual(1_010);
  });

  it('applies the limit alone while the store fails, logs that once, and returns to the store', async () => {
    const { clock, log, store, process } = setUp();
    const limits = process();
    const limit = { perSecond: 10, burst: 20 };
    await many(10, limits, limit);
    store.answer = () => Promise.reject(new Error('gone'));
    expect(allowed(await many(100, limits, limit))).toBe(10);
    clock.now += 500;
    expect(allowed(await many(100, limits, limit))).toBe(5);
    expect(log.warn).toHaveBeenCalledTimes(1);
    store.answer = (grants) => Promise.resolve(grants);
    clock.now += 600;
    const before = store.calls.length;
    expect(allowed(await many(1, limits, limit))).toBe(1);
    expect(store.calls.length).toBe(before + 1);
    expect(log.info).toHaveBeenCalledTimes(1);
  });

  it('waits for a silent store once, and has at most one call in flight', async () => {
    const { clock, store, process } = setUp();
    const limits = process();
    const limit = { perSecond: 10, burst: 20 };
    store.answer = () => new Promise(() => undefined);
    expect(allowed(await many(30, limits, limit))).toBe(20);
    for (let second = 0; second < 5; second += 1) {
      clock.now += 1_000;
      expect(allowed(await many(30, limits, limit))).toBe(10);
    }
    expect(store.calls).toHaveLength(1);
  });
});
