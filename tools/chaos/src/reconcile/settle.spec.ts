import { describe, expect, it } from '@jest/globals';
import { settle } from './settle.js';
import type { Progress } from './unfinished.js';

const busy = (rows: string): Progress => ({ unfinished: { deliveries: 1 }, rows });
const final = (rows: string): Progress => ({ unfinished: {}, rows });

/** The result for what each poll reads, one per second; the last one is read again and again. */
function settleOn(polls: readonly Progress[], { notBeforeMs = 0, deadlineMs = 60_000 } = {}) {
  let read = 0;
  return settle({
    read: () => Promise.resolve(polls[Math.min((read += 1), polls.length) - 1] ?? busy('')),
    elapsed: () => read * 1_000,
    notBeforeMs,
    deadlineMs,
    pollMs: 0,
    signal: new AbortController().signal,
    onPoll: () => Promise.resolve(),
    onProgress: () => undefined,
  });
}

describe('waiting until everything is final', () => {
  it('ends when nothing is unfinished and nothing changes any more', async () => {
    expect(await settleOn([busy('1'), final('1'), final('1')])).toEqual({ unfinished: {}, atMs: 2_000 });
    expect(await settleOn([final('1'), final('2'), final('2')])).toEqual({ unfinished: {}, atMs: 2_000 });
  });

  it('goes on if something is unfinished again', async () => {
    const polls = [final('1'), busy('1'), final('1'), final('1')];
    expect(await settleOn(polls)).toEqual({ unfinished: {}, atMs: 3_000 });
  });

  it('does not end while work of the last fault can be in flight', async () => {
    const polls = [final('1'), final('1'), final('1'), busy('2'), final('2')];
    expect(await settleOn(polls, { notBeforeMs: 4_000 })).toEqual({ unfinished: {}, atMs: 5_000 });
  });

  it('returns what is not final at the deadline', async () => {
    expect(await settleOn([busy('1')], { deadlineMs: 9_000 })).toEqual({
      unfinished: { deliveries: 1 },
      atMs: 10_000,
    });
  });
});
