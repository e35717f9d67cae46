import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PeriodicTask } from './periodic-task.js';

function setUp(answers: (boolean | Error)[], restMs = 1) {
  const lines: string[] = [];
  const write = (_: object, message: string): void => void lines.push(message);
  let rounds = 0;
  let finish: () => void;
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const repeating = new PeriodicTask(
    'sweeping',
    restMs,
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
  return { repeating, lines, done, rounds: () => rounds };
}

describe('what is done again and again', () => {
  it('goes on without a rest while there is more to do', async () => {
    const { repeating, done, rounds } = setUp([true, true, true, false], 3_600_000);
    repeating.start();
    await done;
    await repeating.stop();
    expect(rounds()).toBe(4);
  });

  it('survives failures, and tells of them once', async () => {
    const away = new Error('away');
    const { repeating, done, lines } = setUp([away, away, away, false, false]);
    repeating.start();
    await done;
    await repeating.stop();
    expect(lines).toEqual(['failed; it is tried again', 'works again']);
  });

  it('is done once however often it is started, and no more after it was stopped', async () => {
    const { repeating, done, rounds } = setUp([false], 3_600_000);
    repeating.start();
    repeating.start();
    await done;
    await repeating.stop();
    repeating.start();
    await pause(5);
    expect(rounds()).toBe(1);
  });
});
