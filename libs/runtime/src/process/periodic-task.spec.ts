import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PeriodicTask } from './periodic-tasks.js';

function setUp(answers: (boolean | Error)[], intervalMs = 1) {
  const lines: string[] = [];
  const write = (_: object, message: string): void => void lines.push(message);
  let rounds = 0;
  let finish: () => void;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const task = new PeriodicTask(
    'sweeping',
    intervalMs,
    async () => {
      const answer = answers[rounds];
      rounds += 1;
      if (rounds === answers.length) finish();
      await pause(0);
      if (answer instanceof Error) throw answer;
      return answer ?? false;
    },
    { info: write, warn: write },
  );
  return { task, lines, done, rounds: () => rounds };
}

describe('PeriodicTask', () => {
  it('repeats at once while there is more to do', async () => {
    const { task, done, rounds } = setUp([true, true, true, false], 3_600_000);
    task.start();
    await done;
    await task.stop();
    expect(rounds()).toBe(4);
  });

  it('survives failures, and logs the first of them', async () => {
    const away = new Error('away');
    const { task, done, lines } = setUp([away, away, away, false, false]);
    task.start();
    await done;
    await task.stop();
    expect(lines).toEqual(['failed; it will be retried', 'works again']);
  });

  it('may wait for something to do, and ends when it is stopped', async () => {
    let ended = false;
    const task = new PeriodicTask(
      'waiting',
      1,
      async (signal) => {
        await once(signal, 'abort');
        ended = true;
        return true;
      },
      { info: () => undefined, warn: () => undefined },
    );
    task.start();
    await pause(5);
    expect(ended).toBe(false);
    await task.stop();
    expect(ended).toBe(true);
  });

  it('starts once, and does not run after it was stopped', async () => {
    const { task, done, rounds } = setUp([false], 3_600_000);
    task.start();
    task.start();
    await done;
    await task.stop();
    task.start();
    await pause(5);
    expect(rounds()).toBe(1);
  });
});
