/** If a tick of the watchdog itself is later than this many intervals, the whole process was paused. */
const maxLateIntervals = 5;
/** From this share of one core on, the process has enough processor time: a stall is its own fault. */
const busyShare = 0.5;
/** Up to this share of one core, the process does not ask for processor time: it is blocked, as by a system call. */
const idleShare = 0.01;

/**
 * Counts for how many ticks of the watchdog in a row the main thread has not run. A clock would also count the time in which
 * the whole process was paused (SIGSTOP, a suspended machine); after a pause the count starts again. On a busy machine a
 * process may get only a part of the time that it needs, and is slow, not hung: between the two shares, a tick counts by
 * the processor time that the process got in it.
 */
export class StallCounter {
  private stalledTicks = 0;
  private lastHeartbeat = -1;
  private lastTickAt = Infinity;
  private lastCpuMs = 0;

  constructor(private readonly intervalMs: number) {}

  /**
   * @param cpuMs the processor time of the process
   * @returns the number of ticks since the heartbeat of the main thread changed, or since a pause
   */
  tick(heartbeat: number, now: number, cpuMs: number): number {
    const wasPaused = now - this.lastTickAt > maxLateIntervals * this.intervalMs;
    const isStalled = heartbeat === this.lastHeartbeat && !wasPaused;
    this.stalledTicks = isStalled ? this.stalledTicks + this.weightOf(cpuMs - this.lastCpuMs) : 0;
    this.lastHeartbeat = heartbeat;
    this.lastTickAt = now;
    this.lastCpuMs = cpuMs;
    return this.stalledTicks;
  }

  private weightOf(cpuMs: number): number {
    const share = cpuMs / this.intervalMs;
    return share >= busyShare || share <= idleShare ? 1 : share;
  }
}
