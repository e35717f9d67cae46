import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Release } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { defaultTuning } from '../settings.js';
import { Batcher, type BatchItem } from './batcher.js';

interface Item extends BatchItem {
  readonly n: number;
}

const item = (n: number, bytes = 1, weight = 1, abandoned = false): Item => ({ n, bytes, weight, abandoned });

/** Of `inbound.receive`. */
const shortestDeadlineMs = 2_000;

/** A batcher whose jobs are answered when the test says so. */
function batcher(tuning = {}) {
  const jobs: { batch: Item[]; release: Release }[] = [];
  const subject = new Batcher<Item>(
    { ...defaultTuning, slotTimeoutMs: 60_000, ...tuning },
    (batch, release) => {
      jobs.push({ batch, release });
    },
  );
  const sizes = (): number[] => jobs.map(({ batch }) => batch.length);
  const releaseAll = (): void => {
    for (const { release } of jobs) release();
  };
  return { subject, jobs, sizes, releaseAll };
}

describe('Batcher', () => {
  it('sends a single request at once', async () => {
    const { subject, sizes, releaseAll } = batcher();
    subject.add(item(1));
    await turn();
    expect(sizes()).toEqual([1]);
    releaseAll();
  });

  it('collects while jobs are unanswered, and sends everything collected when one is answered', async () => {
    const { subject, jobs, sizes, releaseAll } = batcher({ inFlightJobs: 2 });
    for (let n = 0; n < 10; n += 1) {
      subject.add(item(n));
      await turn();
    }
    expect(sizes()).toEqual([1, 1]);
    jobs[0]?.release();
    await turn();
    expect(sizes()).toEqual([1, 1, 8]);
    releaseAll();
  });

  it('sends a request beside a single one at once, and beside a batch when there are enough', async () => {
    const { subject, jobs, sizes, releaseAll } = batcher({ minBesideBatch: 3 });
    subject.add(item(1));
    await turn();
    subject.add(item(2));
    subject.add(item(3));
    await turn();
    expect(sizes()).toEqual([1, 2]);
    jobs[0]?.release();
    for (const n of [4, 5]) {
      subject.add(item(n));
      await turn();
    }
    expect(sizes()).toEqual([1, 2]);
    subject.add(item(6));
    await turn();
    expect(sizes()).toEqual([1, 2, 3]);
    releaseAll();
  });

  it('sends a full job beside a batch, however few requests it has', async () => {
    const { subject, sizes, releaseAll } = batcher({ maxBatchWeight: 10 });
    subject.add(item(1));
    subject.add(item(2));
    await turn();
    subject.add(item(3, 1, 8));
    await turn();
    expect(sizes()).toEqual([2]);
    subject.add(item(4, 1, 8));
    await turn();
    expect(sizes()).toEqual([2, 1]);
    releaseAll();
  });

  it('frees a slot once, however often it is released', async () => {
    const { subject, jobs, sizes, releaseAll } = batcher({ inFlightJobs: 1 });
    subject.add(item(1));
    await turn();
    jobs[0]?.release();
    jobs[0]?.release();
    for (const n of [2, 3]) {
      subject.add(item(n));
      await turn();
    }
    expect(sizes()).toEqual([1, 1]);
    releaseAll();
  });

  it('sends a single request beside a batch that is slow to be answered', async () => {
    const { subject, sizes, releaseAll } = batcher();
    subject.add(item(1));
    subject.add(item(2));
    await turn();
    subject.add(item(3));
    await turn();
    expect(sizes()).toEqual([2]);
    await until('it leaves', () => sizes().length === 2);
    expect(sizes()).toEqual([2, 1]);
    releaseAll();
  });

  it('frees a slot when its job is not answered in time', async () => {
    const { subject, sizes, releaseAll } = batcher({ inFlightJobs: 1, slotTimeoutMs: 10 });
    subject.add(item(1));
    await turn();
    subject.add(item(2));
    await until('the second job leaves', () => sizes().length === 2);
    expect(sizes()).toEqual([1, 1]);
    releaseAll();
  });

  it('sends less and less while no job is answered', async () => {
    const { subject, sizes, releaseAll } = batcher({ inFlightJobs: 1, slotTimeoutMs: 5 });
    const started = performance.now();
    for (let n = 0; sizes().length < 5; n += 1) {
      subject.add(item(n));
      await turn();
    }
    // 5 + 10 + 20 + 30 ms, not 4 × 5: a bound from below, which no busy machine can break.
    expect(performance.now() - started).toBeGreaterThan(60);
    releaseAll();
  });

  it('still sends a job before the deadline of the last one, however long none was answered', async () => {
    jest.useFakeTimers();
    try {
      const { subject, sizes } = batcher({ slotTimeoutMs: defaultTuning.slotTimeoutMs });
      const sentAt: number[] = [];
      for (let n = 0; n < 600; n += 1) {
        subject.add(item(n));
        await jest.advanceTimersByTimeAsync(100);
        while (sentAt.length < sizes().length) sentAt.push(n * 100);
      }
      const gaps = sentAt.map((at, index) => (sentAt[index + 1] ?? 60_000) - at);
      expect(Math.max(...gaps)).toBeLessThan(shortestDeadlineMs);
    } finally {
      jest.useRealTimers();
    }
  });

  it('does not send abandoned requests', async () => {
    const { subject, jobs, releaseAll } = batcher();
    subject.add(item(1, 1, 1, true));
    subject.add(item(2));
    await turn();
    expect(jobs.map(({ batch }) => batch.map(({ n }) => n))).toEqual([[2]]);
    releaseAll();
  });

  it('refuses what does not fit, and accepts more when there is room again', async () => {
    const { subject, releaseAll } = batcher({ maxCollectedRequests: 3, maxCollectedBytes: 100 });
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
    releaseAll();
  });

  it('loses, repeats and reorders nothing, and overfills no batch', async () => {
    const sizes = fc.array(
      fc.record({ bytes: fc.integer({ min: 1, max: 300 }), weight: fc.integer({ min: 1, max: 30 }) }),
    );
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 4 }), async (given, inFlightJobs) => {
        const { subject, jobs } = batcher({
          inFlightJobs,
          maxBatchRequests: 5,
          maxBatchBytes: 256,
          maxBatchWeight: 20,
        });
        given.forEach(({ bytes, weight }, n) => subject.add(item(n, bytes, weight)));
        await turn();
        for (let freed = 0; freed < jobs.length; freed += 1) {
          expect(jobs.length - freed).toBeLessThanOrEqual(inFlightJobs);
          jobs[freed]?.release();
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
