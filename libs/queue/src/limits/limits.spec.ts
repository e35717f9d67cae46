import { currentContext, newContext, runInContext } from '@gangan/protocol';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { BucketStore, Grant, Limit, LimitDecision, TokenRequest } from './bucket-store.js';
import { LastCallers } from './last-callers.js';
import { Limits } from './limits.js';
import { TokenBucket } from './local-bucket.js';

/** A store in memory that can be slow, fail, or not answer at all. */
class FakeStore implements BucketStore {
  readonly calls: (readonly TokenRequest[])[] = [];
  private readonly buckets = new Map<string, TokenBucket>();
  private readonly callers = new Map<string, LastCallers>();
  answer: (grants: Grant[]) => Promise<Grant[]> = (grants) => Promise.resolve(grants);

  constructor(private readonly now: () => number) {}

  take(requests: readonly TokenRequest[]): Promise<Grant[]> {
    this.calls.push(requests);
    return this.answer(
      requests.map(({ bucket: name, count, limit, atMost = Infinity, lastCall }) => {
        const now = this.now();
        const bucket = this.buckets.get(name) ?? new TokenBucket();
        const callers = this.callers.get(name) ?? new LastCallers();
        this.buckets.set(name, bucket);
        this.callers.set(name, callers);
        bucket.correct(Math.min(atMost, bucket.level(limit, now)), now);
        if (lastCall) callers.receive(lastCall, now);
        const granted = bucket.take(count, limit, now);
        return { granted, tokens: bucket.level(limit, now), lastCall: callers.report(now) };
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

  describe('that several callers share', () => {
    const halfOf = ({ perSecond, burst }: Limit): Limit => ({
      perSecond: perSecond / 2,
      burst: Math.max(1, Math.floor(burst / 2)),
    });

    /** As many requests of a caller as given, at one process. @returns how many are allowed, and whether it had to share */
    async function share(limits: Limits, limit: Limit, caller: string, count: number) {
      let given = 0;
      let shared = false;
      for (let index = 0; index < count; index += 1) {
        shared = limits.hasToShare('all', limit, caller, caller, halfOf(limit));
        if (shared && !(await limits.take(caller, halfOf(limit))).allowed) continue;
        const { allowed: isAllowed } = await limits.take('all', limit);
        if (isAllowed) given += 1;
        else if (shared) limits.giveBack(caller, halfOf(limit), 1);
      }
      return { given, shared };
    }

    it('give one caller at most half while another one is in use, and all of them at most the limit', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({ perSecond: fc.integer({ min: 2, max: 50 }), burst: fc.integer({ min: 2, max: 50 }) }),
          fc.array(fc.tuple(fc.nat({ max: 1 }), fc.nat({ max: 30 }), fc.nat({ max: 9_000 })), {
            maxLength: 15,
          }),
          async (limit, steps) => {
            const { clock, process } = setUp();
            const limits = process();
            let sum = 0;
            let ms = 0;
            const shares = new Map<string, { since: number; given: number }>();
            for (const [which, count, pauseMs] of steps) {
              const caller = ['a', 'b'][which] ?? '';
              const { given, shared } = await share(limits, limit, caller, count);
              sum += given;
              expect(sum).toBeLessThanOrEqual(limit.burst + (ms / 1_000) * limit.perSecond + 1e-6);
              if (count > 0 && !shared) shares.delete(caller);
              if (shared) {
                const own = shares.get(caller) ?? { since: ms, given: 0 };
                own.given += given;
                shares.set(caller, own);
                const half = halfOf(limit);
                const most = half.burst + ((ms - own.since) / 1_000) * half.perSecond;
                expect(own.given).toBeLessThanOrEqual(most + 1e-6);
              }
              clock.now += pauseMs;
              ms += pauseMs;
            }
          },
        ),
        { numRuns: 50 },
      );
    });

    it.each([1, 2])('give two busy callers at %d processes half of the rate each', async (count) => {
      const { clock, process } = setUp();
      const processes = Array.from({ length: count }, process);
      const limit = { perSecond: 100, burst: 50 };
      const given = { a: 0, b: 0 };
      const run = async (...callers: ('a' | 'b')[]): Promise<void> => {
        for (const caller of callers) {
          const limits = processes[caller === 'a' ? 0 : count - 1];
          if (limits) given[caller] += (await share(limits, limit, caller, 3)).given;
        }
        clock.now += 10;
      };
      // The first one uses up everything.
      for (let step = 0; step < 500; step += 1) await run('a');
      expect(given.a).toBeGreaterThan(500);
      // Within a second, the processes know of each other.
      for (let step = 0; step < 100; step += 1) await run('a', 'b');
      Object.assign(given, { a: 0, b: 0 });
      for (let step = 0; step < 1_000; step += 1) await run('a', 'b');
      for (const caller of ['a', 'b'] as const) {
        expect(given[caller]).toBeGreaterThanOrEqual(470);
        expect(given[caller]).toBeLessThanOrEqual(500 + 25);
      }
      // When the other one is gone, the first may use all of it again.
      clock.now += 10_000;
      for (let step = 0; step < 200; step += 1) await run('a');
      Object.assign(given, { a: 0, b: 0 });
      for (let step = 0; step < 500; step += 1) await run('a');
      expect(given.a).toBeGreaterThan(490);
    });

    it('cost no call of the store while one caller is alone', async () => {
      const { clock, store, process } = setUp();
      const limits = process();
      const limit = { perSecond: 1_000, burst: 1_000 };
      for (let step = 0; step < 100; step += 1) {
        expect((await share(limits, limit, 'a', 2)).given).toBe(2);
        clock.now += 10;
      }
      expect(new Set(store.calls.flat().map(({ bucket }) => bucket))).toEqual(new Set(['all']));
    });
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
