import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { AdaptiveConcurrency } from './adaptive-concurrency.js';

class Lane {
  concurrency = 2;
  /** How often it was resumed. */
  looks = 0;

  pause(): Promise<void> {
    return Promise.resolve();
  }

  resume(): Promise<void> {
    this.looks += 1;
    return Promise.resolve();
  }
}

/** A job that ends when the test says so. */
function job() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

const waitFor = (done: () => boolean): Promise<boolean> => until('the concurrency changes', done);

describe('AdaptiveConcurrency', () => {
  it('grows by one for each slow job, up to its maximum, and shrinks when they end', async () => {
    const lane = new Lane();
    const concurrency = new AdaptiveConcurrency({ default: 2, max: 4, slowMs: 5 }, () => lane);
    const jobs = [job(), job(), job()];
    const running = jobs.map(({ run }) => concurrency.run(run));
    expect(lane.concurrency).toBe(2);
    await waitFor(() => lane.looks === 2);
    expect(lane.concurrency).toBe(4);
    for (const { end } of jobs) end();
    await Promise.all(running);
    expect([lane.concurrency, lane.looks]).toEqual([2, 2]);
  });

  it('does not grow for quick jobs, after a failure, or while the lane is not served', async () => {
    const lane = new Lane();
    let serving = true;
    const concurrency = new AdaptiveConcurrency({ default: 2, max: 4, slowMs: 5 }, () =>
      serving ? lane : undefined,
    );
    await concurrency.run(() => Promise.resolve());
    await expect(concurrency.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await pause(20);
    expect([lane.concurrency, lane.looks]).toEqual([2, 0]);
    serving = false;
    const { run, end } = job();
    const running = concurrency.run(run);
    await pause(20);
    end();
    await running;
    expect([lane.concurrency, lane.looks]).toEqual([2, 0]);
  });
});
