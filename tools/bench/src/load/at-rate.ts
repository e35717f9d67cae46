import { setTimeout as pause } from 'node:timers/promises';

const tickMs = 10;

/**
 * Calls `act` at a steady rate until the time is over. Late calls are made up for, at most `maxPerTick` every 10 ms.
 * @returns how often it was called
 */
export async function atRate(
  perSecond: number,
  isOver: () => boolean,
  act: (index: number) => void,
  maxPerTick = Infinity,
): Promise<number> {
  const started = performance.now();
  let calls = 0;
  while (!isOver()) {
    const dueInAll = Math.floor(((performance.now() - started) / 1_000) * perSecond);
    const due = Math.min(dueInAll, calls + maxPerTick);
    for (; calls < due; calls += 1) act(calls);
    await pause(tickMs);
  }
  return calls;
}
