import { setTimeout as pause } from 'node:timers/promises';

/** Asks until the answer is yes. */
export async function until(ask: () => boolean | Promise<boolean>, patienceMs = 30_000): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  while (!(await ask())) {
    if (Date.now() > giveUpAt) throw new Error('It never happened');
    await pause(20);
  }
}
