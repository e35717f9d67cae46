import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allot, breaker, type HostState, laneOf, roomOf } from './isolation.js';
import { Occupancy } from './occupancy.js';

const hostOf = (known: Partial<HostState> = {}): HostState => ({
  organisationId: 'o',
  host: 'h',
  paceMs: 20,
  failures: 0,
  isOpen: false,
  underWay: 0,
  ...known,
});
const states = fc.array(
  fc.record({
    organisationId: fc.constantFrom('a', 'b', 'c', 'd'),
    host: fc.string(),
    paceMs: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 20_000 })),
    failures: fc.integer({ min: 0, max: 20 }),
    isOpen: fc.boolean(),
    underWay: fc.integer({ min: 0, max: 40 }),
  }),
  { maxLength: 80 },
);
const free = fc.record({ fast: fc.nat(100), slow: fc.nat(100) });
const lanesOf = ({ fast, slow }: { fast: number; slow: number }) => ({
  fast: new Occupancy(fast),
  slow: new Occupancy(slow),
});
const most = fc.integer({ min: 1, max: 64 });

describe('a host', () => {
  it.each<[string, Partial<HostState>, number]>([
    ['that is well may have all', {}, 16],
    ['has what is under way already', { underWay: 10 }, 6],
    ['has no room when full', { underWay: 20 }, 0],
    ['that nobody knows is tried with one', { paceMs: null }, 1],
    ['that nobody knows is tried with one at a time', { paceMs: null, underWay: 1 }, 0],
    ['that is slow may have a part', { paceMs: 5_000 }, 4],
    ['that failed a few times may have all', { failures: breaker.failures - 1 }, 16],
    ['that keeps failing has none', { failures: breaker.failures, isOpen: true }, 0],
    ['whose pause is over is tried with one', { failures: breaker.failures }, 1],
    ['whose pause is over is tried with one at a time', { failures: 9, underWay: 1 }, 0],
  ])('%s', (_what, known, room) => {
    expect(roomOf(hostOf(known), 16)).toBe(room);
  });

  it('is slow when it takes a second', () => {
    expect([null, 0, 999, 1_000, 15_000].map((paceMs) => laneOf({ paceMs }))).toEqual([
      ...['fast', 'fast', 'fast'],
      ...['slow', 'slow'],
    ]);
  });
});

describe('free slots', () => {
  it('are never given twice, nor to a host beyond its room', () => {
    fc.assert(
      fc.property(states, free, most, (hosts, slots, perHost) => {
        const allotments = allot(hosts, lanesOf(slots), perHost);
        for (const lane of ['fast', 'slow'] as const) {
          const given = allotments
            .filter((one) => one.lane === lane)
            .reduce((sum, one) => sum + one.slots, 0);
          expect(given).toBeLessThanOrEqual(slots[lane]);
        }
        for (const { host, slots: given } of allotments) {
          expect(given).toBeGreaterThanOrEqual(0);
          expect(given).toBeLessThanOrEqual(roomOf(host, perHost));
        }
      }),
    );
  });

  it('are given to somebody as long as there is one with room', () => {
    fc.assert(
      fc.property(states, free, most, (hosts, slots, perHost) => {
        for (const lane of ['fast', 'slow'] as const) {
          const wanting = allot(hosts, lanesOf(slots), perHost).filter(
            (one) => one.lane === lane && one.room > 0,
          );
          if (wanting.length > 0 && slots[lane] > 0) expect(wanting[0]?.slots).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('of one lane are no concern of the other', () => {
    const [slow, fast] = allot([hostOf({ paceMs: 9_000 }), hostOf()], lanesOf({ fast: 8, slow: 0 }), 16);
    expect([slow?.slots, fast?.slots]).toEqual([0, 4]);
  });

  it('are shared, however much one could take', () => {
    const hosts = Array.from({ length: 8 }, (_, place) => hostOf({ organisationId: `o${place}` }));
    const slots = allot(hosts, lanesOf({ fast: 64, slow: 0 }), 64).map((one) => one.slots);
    expect(slots).toEqual([8, 8, 8, 8, 8, 8, 8, 4]);
  });

  it('are not all given to one organisation, however many hosts it has', () => {
    const many = Array.from({ length: 63 }, (_, place) => hostOf({ host: `${place}`, paceMs: null }));
    const allotments = allot([...many, hostOf({ organisationId: 'b' })], lanesOf({ fast: 64, slow: 0 }), 16);
    expect(allotments.filter(({ slots }) => slots > 0)).toHaveLength(33);
    expect(allotments.at(-1)?.slots).toBe(1);
  });
});
