import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AirtimeConfig } from '../airtime.config.js';
import { Patience } from './patience.js';

const hour = 3_600_000;
const patience = new Patience(
  new AirtimeConfig({
    AIRTIME_PROVIDER_TIMEOUT_MS: 15_000,
    AIRTIME_ASK_AFTER: '5s,30s,2m,10m,1h',
    AIRTIME_GIVE_UP_AFTER: '24h',
  }),
);

describe('patience', () => {
  it('asks at 5 s, 30 s, 2 m, 10 m, every hour, and gives up after a day', () => {
    const asked: number[] = [];
    let elapsed = 0;
    for (let next = patience.next(elapsed); next !== undefined; next = patience.next(elapsed)) {
      elapsed += next;
      asked.push(elapsed / 1_000);
    }
    expect(asked.slice(0, 6)).toEqual([5, 30, 120, 600, 3_600, 7_200]);
    expect(asked.at(-1)).toBe(24 * 3_600);
    expect(asked).toHaveLength(4 + 24);
  });

  it('never asks in the past, nor after it has given up', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 30 * hour, noNaN: true }), (elapsed) => {
        const next = patience.next(elapsed);
        if (elapsed >= 24 * hour) expect(next).toBeUndefined();
        else expect(next).toBeGreaterThan(0);
        expect(elapsed + (next ?? 0)).toBeLessThanOrEqual(Math.max(elapsed, 24 * hour) + 1);
      }),
    );
  });

  it('takes nobody for unheard of while a call may be under way, and holds a purchase for longer than a call', () => {
    expect(patience.unheardAfterMs).toBeGreaterThan(2 * patience.callMs);
    expect(patience.leaseMs).toBeGreaterThan(patience.callMs);
  });
});
