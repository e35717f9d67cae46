import { describe, expect, it, jest } from '@jest/globals';
import { LeaseLostError } from './lease-table.js';
import { type ClaimedJob, LeasedJobRunner } from './leased-job-runner.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const rules = { name: 'parcel', concurrency: 2, maxStalls: 20, maxDelayMs: 60_000, describe: () => ({}) };

describe('LeasedJobRunner', () => {
  /** Runs jobs that have stalled so often, with slices that end as `runSlice` does. */
  async function runAll(stalls: readonly number[], runSlice: (claim: ClaimedJob) => Promise<void>) {
    const due = stalls.map((times) => ({ stalls: times }));
    const release = jest.fn(() => Promise.resolve());
    const fail = jest.fn(() => Promise.resolve());
    const claimNext = () => Promise.resolve(due.shift());
    const runner = new LeasedJobRunner({ ...rules, claimNext, runSlice, release, fail }, quiet);
    await runner.look();
    await runner.idle();
    return { release, fail };
  }

  it('runs everything that is due, at most `concurrency` at a time', async () => {
    let [inFlight, max] = [0, 0];
    const done: number[] = [];
    await runAll([1, 2, 3, 4, 5], async ({ stalls }) => {
      max = Math.max(max, (inFlight += 1));
      await new Promise(setImmediate);
      inFlight -= 1;
      done.push(stalls);
    });
    expect([done.toSorted(), max]).toEqual([[1, 2, 3, 4, 5], 2]);
  });

  it('retries a failed job with growing delays, and gives up after `maxStalls`', async () => {
    const { release, fail } = await runAll([1, 5, 19, 20], () => Promise.reject(new Error('out of paper')));
    expect(release.mock.calls).toEqual([
      [{ stalls: 1 }, 500],
      [{ stalls: 5 }, 8_000],
      [{ stalls: 19 }, 60_000],
    ]);
    expect(fail.mock.calls).toEqual([[{ stalls: 20 }]]);
  });

  it('fails a job that crashed every worker, without running it again', async () => {
    const runSlice = jest.fn(() => Promise.resolve());
    const { fail } = await runAll([21], runSlice);
    expect([runSlice.mock.calls, fail.mock.calls]).toEqual([[], [[{ stalls: 21 }]]]);
  });

  it('leaves a job alone after its lease was lost', async () => {
    const { release, fail } = await runAll([7], () => Promise.reject(new LeaseLostError()));
    expect([release.mock.calls, fail.mock.calls]).toEqual([[], []]);
  });

  it('logs once that it cannot claim, and once that it can again', async () => {
    const log: string[] = [];
    const write = (_: object, message: string) => void log.push(message);
    let away = true;
    const claimNext = () => (away ? Promise.reject(new Error('away')) : Promise.resolve(undefined));
    const never = () => Promise.reject(new Error('there is nothing'));
    const runner = new LeasedJobRunner(
      { ...rules, claimNext, runSlice: never, release: never, fail: never },
      { info: write, warn: write, error: write },
    );
    for (away of [true, true, false, false, true]) {
      await runner.look();
      await runner.idle();
    }
    expect(log).toEqual(['cannot claim due jobs', 'can claim due jobs again', 'cannot claim due jobs']);
  });
});
