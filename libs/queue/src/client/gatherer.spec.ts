import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { defaultTuning } from '../settings.js';
import { type FreeSlot, Gatherer, type Outgoing } from './gatherer.js';

interface Item extends Outgoing {
  readonly n: number;
}

const item = (n: number, bytes = 1, weight = 1, gone = false): Item => ({ n, bytes, weight, gone });

/** A gatherer whose jobs are answered only when the test says so. */
function gatherer(tuning = {}) {
  const jobs: { batch: Item[]; free: FreeSlot }[] = [];
  const subject = new Gatherer<Item>(
    { ...defaultTuning, slotTimeoutMs: 60_000, ...tuning },
    (batch, free) => {
      jobs.push({ batch, free });
    },
  );
  const sizes = (): number[] => jobs.map(({ batch }) => batch.length);
  const freeAll = (): void => {
    for (const { free } of jobs) free();
  };
  return { subject, jobs, sizes, freeAll };
}

describe('the gatherer', () => {
  it('sends a lone request at once', async () => {
    const { subject, sizes, freeAll } = gatherer();
    subject.add(item(1));
    await turn();
    expect(sizes()).toEqual([1]);
    freeAll();
  });

  it('gathers while jobs are out, and sends all that gathered when one is answered', async () => {
    const { subject, jobs, sizes, freeAll } = gatherer({ inFlightJobs: 2 });
    for (let n = 0; n < 10; n += 1) {
      subject.add(item(n));
      await turn();
    }
    expect(sizes()).toEqual([1, 1]);
    jobs[0]?.free();
    await turn();
    expect(sizes()).toEqual([1, 1, 8]);
    freeAll();
  });

  it('frees a place once, however often it is told', async () => {
    const { subject, jobs, sizes, freeAll } = gatherer({ inFlightJobs: 1 });
    subject.add(item(1));
    await turn();
    jobs[0]?.free();
    jobs[0]?.free();
    for (const n of [2, 3]) {
      subject.add(item(n));
      await turn();
    }
    expect(sizes()).toEqual([1, 1]);
    freeAll();
  });

  it('gives a place back when nobody answers for too long', async () => {
    const { subject, sizes, freeAll } = gatherer({ inFlightJobs: 1, slotTimeoutMs: 10 });
    subject.add(item(1));
    await turn();
    subject.add(item(2));
    while (sizes().length < 2) await turn();
    expect(sizes()).toEqual([1, 1]);
    freeAll();
  });

  it('lets ever fewer go while nobody answers', async () => {
    const { subject, sizes, freeAll } = gatherer({ inFlightJobs: 1, slotTimeoutMs: 5 });
    const started = performance.now();
    for (let n = 0; sizes().length < 5; n += 1) {
      subject.add(item(n));
      await turn();
    }
    // 5 + 10 + 20 + 40 ms, not 4 × 5: a bound from below, which no busy machine can break.
    expect(performance.now() - started).toBeGreaterThan(70);
    freeAll();
  });

  it('leaves behind whoever has given up', async () => {
    const { subject, jobs, freeAll } = gatherer();
    subject.add(item(1, 1, 1, true));
    subject.add(item(2));
    await turn();
    expect(jobs.map(({ batch }) => batch.map(({ n }) => n))).toEqual([[2]]);
    freeAll();
  });

  it('turns away what would not fit, and takes more when there is room again', async () => {
    const { subject, freeAll } = gatherer({ maxGatheredRequests: 3, maxGatheredBytes: 100 });
    expect([item(1, 60), item(2, 60), item(3), item(4), item(5)].map((it) => subject.add(it))).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    await turn();
    expect(subject.add(item(6, 90))).toBe(true);
    await turn();
    freeAll();
  });

  it('loses, doubles and reorders nothing, and overfills no batch', async () => {
    const sizes = fc.array(
      fc.record({ bytes: fc.integer({ min: 1, max: 300 }), weight: fc.integer({ min: 1, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 4 }), async (given, inFlightJobs) => {
        const { subject, jobs } = gatherer({
          inFlightJobs,
          maxBatchRequests: 5,
          maxBatchBytes: 256,
          maxBatchWeight: 20,
        });
        given.forEach(({ bytes, weight }, n) => subject.add(item(n, bytes, weight)));
        await turn();
        for (let freed = 0; freed < jobs.length; freed += 1) {
          expect(jobs.length - freed).toBeLessThanOrEqual(inFlightJobs);
          jobs[freed]?.free();
          await turn();
        }
        const sent = jobs.map(({ batch }) => batch);
        expect(sent.flat().map(({ n }) => n)).toEqual(given.map((_, n) => n));
        for (const batch of sent.filter(({ length }) => length > 1)) {
          const sum = (of: (it: Item) => number): number => batch.reduce((total, it) => total + of(it), 0);
          expect(batch.length).toBeLessThanOrEqual(5);
          expect(sum(({ bytes }) => bytes)).toBeLessThanOrEqual(256);
          expect(sum(({ weight }) => weight)).toBeLessThanOrEqual(20);
        }
      }),
    );
  });
});
