import { setTimeout as sleep } from 'node:timers/promises';

export interface UntilOptions {
  /** The default is below the time limit of a test, so that the error names the condition. */
  readonly timeoutMs?: number;
  /** Added to the error: the output of a process, the rows of a table. */
  readonly details?: () => string;
}

/** Polls `condition` until it returns a truthy value, and returns that value. An error names `what` it waited for. */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { timeoutMs = 120_000, details }: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result) return result as Exclude<T, false | null | undefined>;
    if (Date.now() > deadline) {
      throw new Error(`Waited ${timeoutMs} ms until ${what}${details ? `:\n${details()}` : ''}`);
    }
    await sleep(20);
  }
}
