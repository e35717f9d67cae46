import type { Limits, LimitDecision } from '@gangan/queue';
import { describe, expect, it } from '@jest/globals';
import { MessagingConfig } from '../messaging.config.js';
import { type Permit, ProviderLimits } from './provider-limits.js';

const common = 'provider:a';
const reserved = 'provider:a:otp';

/** @param tokens by bucket, how many there are; each time that none is left, the next number of them comes. */
const limitsOf = (rate: number, window: number, tokens: Record<string, number[]> = {}): ProviderLimits => {
  const take = (bucket: string): Promise<LimitDecision> => {
    const portions = tokens[bucket] ?? [];
    const [left = 0] = portions;
    const allowed = left > 0;
    if (allowed) portions[0] = left - 1;
    else if (portions.length > 0) portions.shift();
    return Promise.resolve({ allowed, remaining: 0, fullInMs: 0, nextInMs: 1 });
  };
  const config = new MessagingConfig({ DELIVERY_PROVIDER_RATE: rate, DELIVERY_PROVIDER_WINDOW: window });
  return new ProviderLimits(
    { limits: { take } as unknown as Limits },
    { rateOf: ({ rate: own = rate }) => own },
    config,
  );
};

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('provider limits', () => {
  it('limit the calls in flight per provider, and admit the next when one ends', async () => {
    const limits = limitsOf(0, 3);
    const first = await limits.acquire({ name: 'a' }, 'sms', 100);
    await limits.acquire({ name: 'a' }, 'sms', 100);
    const through: Permit[] = [];
    const third = limits.acquire({ name: 'a' }, 'sms', 100).then((permit) => through.push(permit));
    await limits.acquire({ name: 'b' }, 'sms', 100);
    expect([first.recipients, through.length]).toEqual([100, 0]);
    first.release();
    await third;
    expect(through).toHaveLength(1);
  });

  it('reserve a slot for OTPs, and admit them first', async () => {
    const limits = limitsOf(0, 2);
    await limits.acquire({ name: 'a' }, 'sms', 1);
    const otp = await limits.acquire({ name: 'a' }, 'otp', 1);
    const order: string[] = [];
    void limits.acquire({ name: 'a' }, 'sms', 1).then(() => order.push('sms'));
    void limits.acquire({ name: 'a' }, 'otp', 1).then(() => order.push('otp'));
    otp.release();
    await nextTurn();
    expect(order).toEqual(['otp']);
  });

  it('permit as many recipients as there are tokens, and wait for the first', async () => {
    const limits = limitsOf(50, 2, { [common]: [7] });
    expect((await limits.acquire({ name: 'a' }, 'sms', 100)).recipients).toBe(7);
    const dry = limitsOf(50, 2, { [common]: [0, 3] });
    expect((await dry.acquire({ name: 'a' }, 'sms', 1)).recipients).toBe(1);
  });

  it('permit only a part of the rate at once', async () => {
    const limits = limitsOf(40, 2, { [common]: [36] });
    expect((await limits.acquire({ name: 'a' }, 'sms', 100)).recipients).toBe(10);
  });

  it('reserve tokens for OTPs, which can use the common ones as well', async () => {
    const limits = limitsOf(40, 4, { [common]: [2], [reserved]: [4] });
    const otp = await limits.acquire({ name: 'a' }, 'otp', 5);
    expect(otp.recipients).toBe(5);
    expect((await limits.acquire({ name: 'a' }, 'sms', 9)).recipients).toBe(1);
    const later = limitsOf(40, 4, { [common]: [0], [reserved]: [4] });
    expect((await later.acquire({ name: 'a' }, 'otp', 5)).recipients).toBe(4);
  });

  it('free the slot if tokens cannot be taken', async () => {
    const broken = { take: () => Promise.reject(new Error('away')) } as unknown as Limits;
    const config = new MessagingConfig({ DELIVERY_PROVIDER_RATE: 1, DELIVERY_PROVIDER_WINDOW: 1 });
    const limits = new ProviderLimits({ limits: broken }, { rateOf: () => 1 }, config);
    for (let time = 0; time < 3; time += 1) {
      await expect(limits.acquire({ name: 'a' }, 'otp', 1)).rejects.toThrow('away');
    }
  });

  it('use the limits of the provider itself, also when they change', async () => {
    const limits = limitsOf(0, 16, { [common]: [90] });
    const own = { name: 'a', rate: 100, window: 2, batchSize: 10 };
    expect([limits.perSecond(own), limits.maxBufferedCalls(own)]).toEqual([100, 1]);
    expect((await limits.acquire(own, 'sms', 100)).recipients).toBe(10);
    const second = limits.acquire(own, 'sms', 1);
    await nextTurn();
    await limits.acquire({ ...own, window: 4 }, 'sms', 1);
    expect((await second).recipients).toBe(1);
  });
});
