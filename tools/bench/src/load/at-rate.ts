import { setTimeout as pause } from 'node:timers/promises';

const tickMs = 10;

/** Calls `act` at a steady rate until the time is over. Late calls are made up for. @returns how often it was called */
export async function atRate(
  perSecond: number,
  isOver: () => boolean,
  act: (index: number) => void,
): Promise<number> {
  const started = performance.now();
  let calls = 0;
  while (!isOver()) {
    const due = Math.floor(((performance.now() - started) / 1_000) * perSecond);
    for (; calls < due; calls += 1) act(calls);
    await pause(tickMs);
  }
  return calls;
}
