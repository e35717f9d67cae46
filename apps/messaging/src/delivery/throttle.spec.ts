import type { Limits } from '@gangan/queue';
import { describe, expect, it } from '@jest/globals';
import { MessagingConfig } from '../messaging.config.js';
import { type Leave, Throttle } from './throttle.js';

const throttleOf = (rate: number, window: number, tokens: number[] = []): Throttle => {
  const limits: Pick<Limits, 'take'> = {
    take: () => {
      const [left = 0] = tokens;
      tokens[0] = left - 1;
      const allowed = left > 0;
      if (!allowed && left === 0) tokens.shift();
      return Promise.resolve({ allowed, remaining: 0, fullInMs: 0, nextInMs: allowed ? 0 : 1 });
    },
  };
  const config = new MessagingConfig({ DELIVERY_PROVIDER_RATE: rate, DELIVERY_PROVIDER_WINDOW: window });
  return new Throttle({ limits: limits as Limits }, config);
};

describe('the throttle', () => {
  it('lets so many calls through at once, per provider, and the next when one ends', async () => {
    const throttle = throttleOf(0, 2);
    const first = await throttle.enter('a', 100);
    await throttle.enter('a', 100);
    const through: Leave[] = [];
    const third = throttle.enter('a', 100).then((leave) => through.push(leave));
    await throttle.enter('b', 100);
    expect([first.recipients, through.length]).toEqual([100, 0]);
    first.end();
    await third;
    expect(through).toHaveLength(1);
  });

  it('gives leave for as many recipients as there are tokens, and waits for the first', async () => {
    const throttle = throttleOf(50, 2, [7]);
    expect((await throttle.enter('a', 100)).recipients).toBe(7);
    const dry = throttleOf(50, 2, [0, 3]);
    expect((await dry.enter('a', 100)).recipients).toBe(3);
  });
});
