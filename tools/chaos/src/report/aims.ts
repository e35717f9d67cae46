import type { RunResult } from './result.js';

/** How fast the system should recover. On a busy machine it may take longer, so a missed aim is no violation. */
const aims = { responseMs: 2_000, servedMs: 5_000, finalMs: 30_000 };

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** The aims that a run has missed. */
export function missedAims({
  outages,
  settledAfterMs,
}: Pick<RunResult, 'outages' | 'settledAfterMs'>): string[] {
  const missed: string[] = [];
  for (const { waitsMs, servedAfterMs = 0 } of outages) {
    const slowestMs = waitsMs.reduce((longest, ms) => Math.max(longest, ms), 0);
    if (slowestMs > aims.responseMs)
      missed.push(
        `a request while Postgres was down or had just returned took ${seconds(slowestMs)}, not ${seconds(aims.responseMs)}`,
      );
    if (servedAfterMs === Infinity) missed.push('no request succeeded after the return of Postgres');
    else if (servedAfterMs > aims.servedMs)
      missed.push(
        `the first success after the return of Postgres took ${seconds(servedAfterMs)}, not ${seconds(aims.servedMs)}`,
      );
  }
  if (settledAfterMs > aims.finalMs)
    missed.push(`everything was final after ${seconds(settledAfterMs)}, not ${seconds(aims.finalMs)}`);
  return missed;
}
