import { setTimeout as pause } from 'node:timers/promises';
import type { LaneQueue } from '../backends/backend.js';
import type { LaneActivity } from './lane-activity.js';

/** The state of a lane as this process sees it. */
export interface CheckedLane {
  readonly name: string;
  readonly activity: LaneActivity;
  /** `true` until its worker has connected to the broker for the first time. */
  readonly connecting: boolean;
  queue(): Promise<LaneQueue>;
}

/** After this many rounds without a change the probe is sent; it must be taken within one round. */
export const consumptionRounds = 3;
const probePolls = 20;

/** The name of a job that a process sends to itself. Any worker of the lane ends it at once. */
export const probeJob = 'probe';

/**
 * Finds out whether this process has stopped taking the jobs of a lane: for some rounds the same job has been waiting, no job
 * was started or active here, and then a job that this process sends to itself is not taken either. It counts rounds instead
 * of reading a clock, so that a pause of the process or of the broker does not count.
 */
export class ConsumptionCheck {
  private unchangedRounds = 0;
  private oldest: string | undefined;
  private started = 0;

  constructor(
    readonly lane: CheckedLane,
    private readonly intervalMs: number,
  ) {}

  /**
   * Runs one round; call it at the interval. It returns false while the broker is unreachable, because nothing is known
   * then.
   */
  async isStuck(): Promise<boolean> {
    try {
      const oldest = await this.oldestWaiting();
      const { started } = this.lane.activity;
      const unchanged = oldest !== undefined && oldest === this.oldest && started === this.started;
      this.unchangedRounds = unchanged ? this.unchangedRounds + 1 : 0;
      this.oldest = oldest;
      this.started = started;
      if (this.unchangedRounds < consumptionRounds) return false;
      this.unchangedRounds = 0;
      return !(await this.takesProbe());
    } catch {
      this.unchangedRounds = 0;
      return false;
    }
  }

  /** The jobs at the head of the lane; `undefined` if this process need not take a job now. */
  private async oldestWaiting(): Promise<string | undefined> {
    const { activity, connecting } = this.lane;
    if (connecting || activity.active > 0) return undefined;
    const queue = await this.lane.queue();
    // One statement, which is enough for a lane without jobs.
    const counts = await queue.getJobCounts('wait', 'prioritized');
    if (Object.values(counts).every((count) => count === 0)) return undefined;
    const waiting = await queue.getJobs(['wait', 'prioritized'], 0, 0, true);
    if (waiting.length === 0 || (await queue.isPaused())) return undefined;
    return waiting.map(({ id }) => id).join(' ');
  }

  /** @returns whether the probe, or any other job, was taken in time; also if the lane was paused meanwhile */
  private async takesProbe(): Promise<boolean> {
    const queue = await this.lane.queue();
    // First in line: jobs that wait must not delay it.
    const probe = await queue.add(probeJob, {}, { lifo: true, removeOnComplete: true, removeOnFail: true });
    for (let poll = 0; poll < probePolls; poll += 1) {
      await pause(this.intervalMs / probePolls, undefined, { ref: false });
      if (this.lane.activity.started !== this.started) return true;
      if (!(await probe.isWaiting())) return true;
    }
    const isPaused = await queue.isPaused();
    await probe.remove();
    return isPaused;
  }
}
