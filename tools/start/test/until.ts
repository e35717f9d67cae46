import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what must come; the test's own time limit says when it does not. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}
