/** If a tick of the watchdog itself is later than this many intervals, the whole process was paused. */
const maxLateIntervals = 5;
/** A process that gets this part of a core is not starved; one that uses less than the other part wants none. */
const busyShare = 0.5;
const idleShare = 0.01;

/**
 * Counts for how many ticks of the watchdog in a row the main thread has not run. A clock would also count the time in which
 * the whole process was paused (SIGSTOP, a suspended machine); after a pause the count starts again. A tick in which the
 * process got little processor time counts in proportion, so that a busy machine does not make slow work look hung.
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
