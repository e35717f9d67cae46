import type { Limits, LimitDecision } from '@gangan/queue';
import { describe, expect, it } from '@jest/globals';
import { MessagingConfig } from '../messaging.config.js';
import { type Leave, Throttle } from './provider-limits.js';

const common = 'provider:a';
const reserved = 'provider:a:otp';

/** @param tokens by bucket, how many there are; each time that none is left, the next number of them comes. */
const throttleOf = (rate: number, window: number, tokens: Record<string, number[]> = {}): Throttle => {
  const take = (bucket: string): Promise<LimitDecision> => {
    const portions = tokens[bucket] ?? [];
    const [left = 0] = portions;
    const allowed = left > 0;
    if (allowed) portions[0] = left - 1;
    else if (portions.length > 0) portions.shift();
    return Promise.resolve({ allowed, remaining: 0, fullInMs: 0, nextInMs: 1 });
  };
  const config = new MessagingConfig({ DELIVERY_PROVIDER_RATE: rate, DELIVERY_PROVIDER_WINDOW: window });
  return new Throttle({ limits: { take } as unknown as Limits }, config);
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the throttle', () => {
  it('lets so many calls through at once, per provider, and the next when one ends', async () => {
    const throttle = throttleOf(0, 3);
    const first = await throttle.enter('a', 'sms', 100);
    await throttle.enter('a', 'sms', 100);
    const through: Leave[] = [];
    const third = throttle.enter('a', 'sms', 100).then((leave) => through.push(leave));
    await throttle.enter('b', 'sms', 100);
    expect([first.recipients, through.length]).toEqual([100, 0]);
    first.end();
    await third;
    expect(through).toHaveLength(1);
  });

  it('always leaves a place to OTPs, and lets them in first', async () => {
    const throttle = throttleOf(0, 2);
    await throttle.enter('a', 'sms', 1);
    const otp = await throttle.enter('a', 'otp', 1);
    const order: string[] = [];
    void throttle.enter('a', 'sms', 1).then(() => order.push('sms'));
    void throttle.enter('a', 'otp', 1).then(() => order.push('otp'));
    otp.end();
    await turn();
    expect(order).toEqual(['otp']);
  });

  it('gives leave for as many recipients as there are tokens, and waits for the first', async () => {
    const throttle = throttleOf(50, 2, { [common]: [7] });
    expect((await throttle.enter('a', 'sms', 100)).recipients).toBe(7);
    const dry = throttleOf(50, 2, { [common]: [0, 3] });
    expect((await dry.enter('a', 'sms', 1)).recipients).toBe(1);
  });

  it('gives nobody more than a part of the rate in one turn', async () => {
    const throttle = throttleOf(40, 2, { [common]: [36] });
    expect((await throttle.enter('a', 'sms', 100)).recipients).toBe(10);
  });

  it('keeps tokens for OTPs that no message gets, and gives them those of messages as well', async () => {
    const throttle = throttleOf(40, 4, { [common]: [2], [reserved]: [4] });
    const otp = await throttle.enter('a', 'otp', 5);
    expect(otp.recipients).toBe(5);
    expect((await throttle.enter('a', 'sms', 9)).recipients).toBe(1);
    const later = throttleOf(40, 4, { [common]: [0], [reserved]: [4] });
    expect((await later.enter('a', 'otp', 5)).recipients).toBe(4);
  });

  it('keeps no place when there is no telling how many tokens there are', async () => {
    const broken = { take: () => Promise.reject(new Error('away')) } as unknown as Limits;
    const config = new MessagingConfig({ DELIVERY_PROVIDER_RATE: 1, DELIVERY_PROVIDER_WINDOW: 1 });
    const throttle = new Throttle({ limits: broken }, config);
    for (let time = 0; time < 3; time += 1) {
      await expect(throttle.enter('a', 'otp', 1)).rejects.toThrow('away');
    }
  });
});
