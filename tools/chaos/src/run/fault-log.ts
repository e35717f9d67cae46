import type { Effect } from '../faults/inject.js';
import type { PlannedFault } from '../plan/plan-faults.js';
import type { Disturbance } from '../reconcile/facts.js';
import type { Timeline } from '../traffic/timeline.js';

export interface LoggedFault extends PlannedFault {
  /** Since the start of the traffic. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** What it did; absent if there was nothing to disturb. */
  readonly effect: Effect;
  readonly began: Date;
  readonly ended: Date;
}

/** What was injected, and when. */
export class FaultLog {
  readonly entries: LoggedFault[] = [];
  readonly active: PlannedFault[] = [];

  async during(planned: PlannedFault, timeline: Timeline, inject: () => Promise<Effect>): Promise<void> {
    const [beganMs, began] = [timeline.elapsed(), new Date()];
    this.active.push(planned);
    const effect = await inject();
    this.active.splice(this.active.indexOf(planned), 1);
    this.entries.push({ ...planned, effect, beganMs, began, endedMs: timeline.elapsed(), ended: new Date() });
  }

  get lastEndMs(): number {
    return Math.max(0, ...this.entries.map(({ endedMs }) => endedMs));
  }

  /** When processes of apps, or what they need, were disturbed. */
  get disturbances(): Disturbance[] {
    return this.entries.map(({ target, began, ended }) => ({
      app: target.replace(/-\d+$/, ''),
      began,
      ended,
    }));
  }
}
