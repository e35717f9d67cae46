import { setTimeout as pause } from 'node:timers/promises';

/** Asks until there is an answer; the test's own time limit bounds it, and what was seen explains a failure. */
export async function until<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  seen: () => string = () => '',
): Promise<T> {
  const giveUpAt = Date.now() + 20_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() > giveUpAt) throw new Error(`It never happened. Seen:\n${seen()}`);
    await pause(25);
  }
}
