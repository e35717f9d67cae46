import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { faultKinds, faultNames } from './fault-kinds.js';
import { planFaults } from './plan-faults.js';

const processes = ['gateway-1', 'messaging-1', 'messaging-2', 'airtime-1'];
const pairs = ['messaging', 'airtime', 'otp'].flatMap((app) => [`${app}-1`, `${app}-2`]);
const inputs = fc.record({
  seed: fc.nat(),
  seconds: fc.integer({ min: 1, max: 600 }),
  count: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
  faults: fc.subarray(faultNames, { minLength: 1 }),
});

describe('the plan of faults', () => {
  it('is the same for the same seed, and another for another', () => {
    const plan = (seed: number) => planFaults({ seed, seconds: 60, faults: faultNames, processes });
    expect(plan(1)).toEqual(plan(1));
    expect(plan(2)).not.toEqual(plan(1));
  });

  it('has the wanted number of faults, in order of time, within the run and their durations', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const plan = planFaults({ ...input, processes });
        expect(plan).toHaveLength(input.count ?? Math.max(1, Math.round(input.seconds / 2.5)));
        expect(plan.map(({ atMs }) => atMs)).toEqual(plan.map(({ atMs }) => atMs).toSorted((a, b) => a - b));
        const length = input.seconds * 1_000;
        for (const { atMs, fault, durationMs } of plan) {
          const [min, max] = faultKinds[fault].lasts;
          expect(input.faults).toContain(fault);
          expect(atMs).toBeGreaterThanOrEqual(0);
          expect(atMs).toBeLessThanOrEqual(length);
          // Unless it would have to begin before the traffic.
          expect(atMs + durationMs).toBeLessThanOrEqual(Math.max(length + 30_000, 2_000 + durationMs));
          expect(durationMs).toBeGreaterThanOrEqual(min);
          expect(durationMs).toBeLessThanOrEqual(max);
        }
      }),
    );
  });

  it('has every kind once before any kind more often than its weight', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const plan = planFaults({
          seed,
          seconds: 60,
          faults: faultNames,
          count: faultNames.length,
          processes,
        });
        expect(new Set(plan.map(({ fault }) => fault))).toEqual(new Set(faultNames));
      }),
    );
  });

  it('has every kind as often as its weight in a minute, at messaging and at airtime', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const plan = planFaults({ seed, seconds: 60, faults: faultNames, processes });
        for (const name of faultNames)
          expect(plan.filter(({ fault }) => fault === name)).toHaveLength(faultKinds[name].weight);
        const targets = (name: string): string[] =>
          plan.flatMap(({ fault, target }) => (fault === name ? target.replace(/-.*/, '') : []));
        for (const app of ['messaging', 'airtime']) {
          expect(targets('kill-at-commit').filter((target) => target === app).length).toBeGreaterThanOrEqual(
            2,
          );
          expect(targets('lose-answers')).toContain(app);
        }
        expect(targets('lose-answers')).toContain('clients');
      }),
    );
  });

  it('stops one process of an app at a time', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 40 }), (seed, count) => {
        const faults = ['stop-process', 'lose-answers', 'kill-process'] as const;
        const plan = planFaults({ seed, seconds: 60, faults, count, processes: pairs });
        const stops = plan.filter(({ fault }) => fault === 'stop-process');
        for (const [index, { atMs, target }] of stops.entries())
          for (const earlier of stops.slice(0, index))
            if (earlier.target !== target && earlier.target.replace(/-.*/, '') === target.replace(/-.*/, ''))
              expect(earlier.atMs + earlier.durationMs).toBeLessThanOrEqual(atMs);
      }),
    );
  });

  it('has one fault at a time at a process while others are free', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const stops = planFaults({ seed, seconds: 60, faults: ['stop-process'], count: 3, processes: pairs });
        for (const [index, { atMs, target }] of stops.entries())
          for (const earlier of stops.slice(0, index))
            if (earlier.target === target)
              expect(earlier.atMs + earlier.durationMs).toBeLessThanOrEqual(atMs);
      }),
    );
  });

  it('has targets that exist', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        for (const { fault, target } of planFaults({ ...input, processes })) {
          const { target: kind } = faultKinds[fault];
          if (kind === 'server') expect(target).toBe('');
          else if (kind === 'answers') expect(['clients', ...processes]).toContain(target);
          else expect(processes).toContain(target);
          if (kind === 'worker') expect(target).not.toBe('gateway-1');
        }
      }),
    );
  });

  it('is empty without faults', () => {
    expect(planFaults({ seed: 1, seconds: 60, faults: [], processes })).toEqual([]);
  });
});
