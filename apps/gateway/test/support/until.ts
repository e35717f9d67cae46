import { setTimeout as pause } from 'node:timers/promises';

/** Asks until the answer is yes. */
export async function until(ask: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while (!(await ask())) {
    if (Date.now() > giveUpAt) throw new Error('It never happened');
    await pause(50);
  }
}
