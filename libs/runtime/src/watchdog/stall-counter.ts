/** If a tick of the watchdog itself is later than this many intervals, the whole process was paused. */
const maxLateIntervals = 5;

/**
 * Counts for how many ticks of the watchdog in a row the main thread has not run. A clock would also count the time in which
 * the whole process was paused (SIGSTOP, a suspended machine); after a pause the count starts again.
 */
export class StallCounter {
  private stalledTicks = 0;
  private lastHeartbeat = -1;
  private lastTickAt = Infinity;

  constructor(private readonly intervalMs: number) {}

  /** @returns the number of ticks since the heartbeat of the main thread changed, or since a pause */
  tick(heartbeat: number, now: number): number {
    const wasPaused = now - this.lastTickAt > maxLateIntervals * this.intervalMs;
    const isStalled = heartbeat === this.lastHeartbeat && !wasPaused;
    this.stalledTicks = isStalled ? this.stalledTicks + 1 : 0;
    this.lastHeartbeat = heartbeat;
    this.lastTickAt = now;
    return this.stalledTicks;
  }
}
