import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ElbowRoom } from './elbow-room.js';

class Lane {
  concurrency = 2;
  /** How often it looked anew whether it may take more. */
  looks = 0;

  pause(): Promise<void> {
    return Promise.resolve();
  }

  resume(): Promise<void> {
    this.looks += 1;
    return Promise.resolve();
  }
}

/** A job that ends when it is told to. */
function job() {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

const patience = async (done: () => boolean): Promise<void> => {
  while (!done()) await turn();
};

describe('elbow room', () => {
  it('is made beside every job that takes long, up to a limit, and taken back when they end', async () => {
    const lane = new Lane();
    const room = new ElbowRoom({ usual: 2, most: 4, slowMs: 5 }, () => lane);
    const jobs = [job(), job(), job()];
    const running = jobs.map(({ run }) => room.run(run));
    expect(lane.concurrency).toBe(2);
    await patience(() => lane.looks === 2);
    expect(lane.concurrency).toBe(4);
    for (const { end } of jobs) end();
    await Promise.all(running);
    expect([lane.concurrency, lane.looks]).toEqual([2, 2]);
  });

  it('is not made for quick jobs, nor after a failure, nor where nobody takes jobs', async () => {
    const lane = new Lane();
    let serving = true;
    const room = new ElbowRoom({ usual: 2, most: 4, slowMs: 5 }, () => (serving ? lane : undefined));
    await room.run(() => Promise.resolve());
    await expect(room.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await pause(20);
    expect([lane.concurrency, lane.looks]).toEqual([2, 0]);
    serving = false;
    const { run, end } = job();
    const running = room.run(run);
    await pause(20);
    end();
    await running;
    expect([lane.concurrency, lane.looks]).toEqual([2, 0]);
  });
});
