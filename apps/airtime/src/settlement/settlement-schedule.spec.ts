import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AirtimeConfig } from '../airtime.config.js';
import { SettlementSchedule } from './settlement-schedule.js';

const hour = 3_600_000;
const schedule = new SettlementSchedule(
  new AirtimeConfig({
    AIRTIME_PROVIDER_TIMEOUT_MS: 15_000,
    AIRTIME_ASK_AFTER: '5s,30s,2m,10m,1h',
    AIRTIME_GIVE_UP_AFTER: '24h',
  }),
);

describe('the settlement schedule', () => {
  it('queries at 5 s, 30 s, 2 m, 10 m, every hour, and stops after a day', () => {
    const queried: number[] = [];
    let elapsed = 0;
    for (let next = schedule.nextDelayMs(elapsed); next !== undefined; next = schedule.nextDelayMs(elapsed)) {
      elapsed += next;
      queried.push(elapsed / 1_000);
    }
    expect(queried.slice(0, 6)).toEqual([5, 30, 120, 600, 3_600, 7_200]);
    expect(queried.at(-1)).toBe(24 * 3_600);
    expect(queried).toHaveLength(4 + 24);
  });

  it('never plans a query in the past, nor after the last one', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 30 * hour, noNaN: true }), (elapsed) => {
        const next = schedule.nextDelayMs(elapsed);
        if (elapsed >= 24 * hour) expect(next).toBeUndefined();
        else expect(next).toBeGreaterThan(0);
        expect(elapsed + (next ?? 0)).toBeLessThanOrEqual(Math.max(elapsed, 24 * hour) + 1);
      }),
    );
  });

  it('trusts not_found only when no call can be in flight, and has leases longer than a call', () => {
    expect(schedule.notFoundAfterMs).toBeGreaterThan(schedule.startMs + schedule.callTimeoutMs);
    expect(schedule.leaseMs).toBeGreaterThan(schedule.callTimeoutMs);
  });
});
