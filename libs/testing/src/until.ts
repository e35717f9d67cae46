import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something is so. The test's own time limit is the bound: how long it takes says nothing. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(20);
}
