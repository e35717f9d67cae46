const firstPauseMs = 250;
const longestPauseMs = 30_000;
const soundAfterMs = 60_000;

/** How long to wait before an app that ended is started again: longer each time, until it has run well for a while. */
export class RestartPolicy {
  private failures = 0;

  /** @param ranMs how long it had been ready; 0 when it never was */
  pauseAfter(ranMs: number): number {
    if (ranMs >= soundAfterMs) this.failures = 0;
    const pause = Math.min(firstPauseMs * 2 ** this.failures, longestPauseMs);
    this.failures += 1;
    return pause;
  }
}
