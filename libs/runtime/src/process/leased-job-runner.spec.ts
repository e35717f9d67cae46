import { describe, expect, it, jest } from '@jest/globals';
import { LeasedJobRunner, LeaseLostError, type Leased } from './leased-job-runner.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

describe('a desk', () => {
  /** With work that has stalled so often, and that ends as `carryOn` does. */
  async function deskWith(stalls: readonly number[], carryOn: (held: Leased) => Promise<void>) {
    const waiting = stalls.map((times) => ({ stalls: times }));
    const giveBack = jest.fn(() => Promise.resolve());
    const giveUp = jest.fn(() => Promise.resolve());
    const take = () => Promise.resolve(waiting.shift());
    const rules = { what: 'parcel', seats: 2, mostStalls: 20, longestPauseMs: 60_000, describe: () => ({}) };
    const desk = new LeasedJobRunner({ ...rules, take, carryOn, giveBack, giveUp }, quiet);
    await desk.look();
    await desk.idle();
    return { giveBack, giveUp };
  }

  it('carries all on that waits, at most so many at a time', async () => {
    let [underWay, most] = [0, 0];
    const done: number[] = [];
    await deskWith([1, 2, 3, 4, 5], async ({ stalls }) => {
      most = Math.max(most, (underWay += 1));
      await new Promise(setImmediate);
      underWay -= 1;
      done.push(stalls);
    });
    expect([done.toSorted(), most]).toEqual([[1, 2, 3, 4, 5], 2]);
  });

  it('tries again what fails, later and later, and gives it up at last', async () => {
    const fail = () => Promise.reject(new Error('out of paper'));
    const { giveBack, giveUp } = await deskWith([1, 5, 19, 20], fail);
    expect(giveBack.mock.calls).toEqual([
      [{ stalls: 1 }, 500],
      [{ stalls: 5 }, 8_000],
      [{ stalls: 19 }, 60_000],
    ]);
    expect(giveUp.mock.calls).toEqual([[{ stalls: 20 }]]);
  });

  it('gives up what everybody died of, without trying it once more', async () => {
    const carryOn = jest.fn(() => Promise.resolve());
    const { giveUp } = await deskWith([21], carryOn);
    expect([carryOn.mock.calls, giveUp.mock.calls]).toEqual([[], [[{ stalls: 21 }]]]);
  });

  it('leaves to others what they have taken up', async () => {
    const { giveBack, giveUp } = await deskWith([7], () => Promise.reject(new LeaseLostError()));
    expect([giveBack.mock.calls, giveUp.mock.calls]).toEqual([[], []]);
  });

  it('tells once that it cannot look for work, and once that it can again', async () => {
    const log: string[] = [];
    const write = (_: object, message: string) => void log.push(message);
    let away = true;
    const take = () => (away ? Promise.reject(new Error('away')) : Promise.resolve(undefined));
    const never = () => Promise.reject(new Error('there is nothing'));
    const rules = { what: 'parcel', seats: 2, mostStalls: 20, longestPauseMs: 60_000, describe: () => ({}) };
    const desk = new LeasedJobRunner(
      { ...rules, take, carryOn: never, giveBack: never, giveUp: never },
      { info: write, warn: write, error: write },
    );
    const look = async () => {
      await desk.look();
      await desk.idle();
    };
    await look();
    await look();
    away = false;
    await look();
    await look();
    away = true;
    await look();
    expect(log).toEqual(['could not look for work', 'looks for work again', 'could not look for work']);
  });
});
