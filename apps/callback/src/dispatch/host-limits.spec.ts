import { describe, expect, it } from '@jest/globals';
import { FairSlots, halfOfAvailable } from '@gangan/leases';
import fc from 'fast-check';
import { breaker } from '../attempts/attempt.repository.js';
import { shareSlots, type HostState, poolFor, remainingAttempts } from './host-limits.js';

const hostOf = (known: Partial<HostState> = {}): HostState => ({
  organisationId: 'o',
  host: 'h',
  responseMs: 20,
  failures: 0,
  isOpen: false,
  inFlight: 0,
  ...known,
});
const states = fc.array(
  fc.record({
    organisationId: fc.constantFrom('a', 'b', 'c', 'd'),
    host: fc.string(),
    responseMs: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 20_000 })),
    failures: fc.integer({ min: 0, max: 20 }),
    isOpen: fc.boolean(),
    inFlight: fc.integer({ min: 0, max: 40 }),
  }),
  { maxLength: 80 },
);
const free = fc.record({ fast: fc.nat(100), slow: fc.nat(100) });
const poolsOf = ({ fast, slow }: { fast: number; slow: number }) => ({
  fast: new FairSlots({ total: fast, perKey: halfOfAvailable }),
  slow: new FairSlots({ total: slow, perKey: halfOfAvailable }),
});
const most = fc.integer({ min: 1, max: 64 });

describe('a host', () => {
  it.each<[string, Partial<HostState>, number]>([
    ['that works gets all', {}, 16],
    ['gets less what is in flight', { inFlight: 10 }, 6],
    ['gets none at its limit', { inFlight: 20 }, 0],
    ['that is new gets one', { responseMs: null }, 1],
    ['that is new gets one at a time', { responseMs: null, inFlight: 1 }, 0],
    ['that is slow gets a part', { responseMs: 5_000 }, 4],
    ['that failed a few times gets all', { failures: breaker.failures - 1 }, 16],
    ['with an open circuit gets none', { failures: breaker.failures, isOpen: true }, 0],
    ['whose circuit was open gets one', { failures: breaker.failures }, 1],
    ['whose circuit was open gets one at a time', { failures: 9, inFlight: 1 }, 0],
  ])('%s', (_what, known, remaining) => {
    expect(remainingAttempts(hostOf(known), 16)).toBe(remaining);
  });

  it('is slow from one second on', () => {
    expect([null, 0, 999, 1_000, 15_000].map((responseMs) => poolFor({ responseMs }))).toEqual([
      ...['fast', 'fast', 'fast'],
      ...['slow', 'slow'],
    ]);
  });
});

describe('free slots', () => {
  it('are never given twice, nor beyond the limit of a host', () => {
    fc.assert(
      fc.property(states, free, most, (hosts, slots, perHost) => {
        const shares = shareSlots(hosts, poolsOf(slots), perHost);
        for (const pool of ['fast', 'slow'] as const) {
          const given = shares.filter((one) => one.pool === pool).reduce((sum, one) => sum + one.slots, 0);
          expect(given).toBeLessThanOrEqual(slots[pool]);
        }
        for (const { host, slots: given } of shares) {
          expect(given).toBeGreaterThanOrEqual(0);
          expect(given).toBeLessThanOrEqual(remainingAttempts(host, perHost));
        }
      }),
    );
  });

  it('are given as long as a host may get one', () => {
    fc.assert(
      fc.property(states, free, most, (hosts, slots, perHost) => {
        for (const pool of ['fast', 'slow'] as const) {
          const eligible = shareSlots(hosts, poolsOf(slots), perHost).filter(
            (one) => one.pool === pool && one.remaining > 0,
          );
          if (eligible.length > 0 && slots[pool] > 0) expect(eligible[0]?.slots).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('of one pool do not affect the other', () => {
    const [slow, fast] = shareSlots(
      [hostOf({ responseMs: 9_000 }), hostOf()],
      poolsOf({ fast: 8, slow: 0 }),
      16,
    );
    expect([slow?.slots, fast?.slots]).toEqual([0, 4]);
  });

  it('are shared between hosts', () => {
    const hosts = Array.from({ length: 8 }, (_, index) => hostOf({ organisationId: `o${index}` }));
    const slots = shareSlots(hosts, poolsOf({ fast: 64, slow: 0 }), 64).map((one) => one.slots);
    expect(slots).toEqual([8, 8, 8, 8, 8, 8, 8, 4]);
  });

  it('let a fast host that works claim ahead, less what waits already', () => {
    const hosts = [{}, { failures: 1 }, { responseMs: null }, { responseMs: 2_000 }].map(hostOf);
    const pools = poolsOf({ fast: 64, slow: 64 });
    const ahead = (waiting: number) =>
      shareSlots(hosts, pools, 16, () => ({ inFlight: 4, waiting })).map((one) => one.ahead);
    expect([ahead(0), ahead(4), ahead(50)]).toEqual([
      [48, 0, 0, 0],
      [32, 0, 0, 0],
      [0, 0, 0, 0],
    ]);
  });

  it('are not all given to one organisation with many hosts', () => {
    const many = Array.from({ length: 63 }, (_, index) => hostOf({ host: `${index}`, responseMs: null }));
    const shares = shareSlots([...many, hostOf({ organisationId: 'b' })], poolsOf({ fast: 64, slow: 0 }), 16);
    expect(shares.filter(({ slots }) => slots > 0)).toHaveLength(33);
    expect(shares.at(-1)?.slots).toBe(1);
  });
});
