import { describe, expect, it } from '@jest/globals';
import { retryWhileLocked } from './retry-while-locked.js';

const held = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
const patience = { mostRuns: 3, pauseMs: () => 0 };

describe('what waits for a lock', () => {
  /** Fails so often, then succeeds. */
  function failing(times: number, error: Error = held) {
    let runs = 0;
    const run = (): Promise<number> => ((runs += 1) <= times ? Promise.reject(error) : Promise.resolve(runs));
    return { run, runs: () => runs };
  }

  it.each([
    ['itself', held],
    ['wrapped', new Error('unavailable', { cause: held })],
  ])('is tried again while it is held, the error being %s', async (_, error) => {
    expect(await retryWhileLocked(failing(2, error).run, patience)).toBe(3);
  });

  it('is given up with its own error', async () => {
    const { run, runs } = failing(9);
    await expect(retryWhileLocked(run, patience)).rejects.toBe(held);
    expect(runs()).toBe(3);
  });

  it('is not tried again for any other reason', async () => {
    const { run, runs } = failing(1, Object.assign(new Error('duplicate'), { code: '23505' }));
    await expect(retryWhileLocked(run, patience)).rejects.toThrow('duplicate');
    expect(runs()).toBe(1);
  });
});
