import type { Effect } from '../faults/inject.js';
import type { Disturbance } from '../reconcile/facts.js';
import type { Timeline } from '../traffic/timeline.js';

export interface Injected {
  readonly fault: string;
  /** A process such as `messaging-1`, `clients`, or empty for a server. */
  readonly target: string;
}

export interface LoggedFault extends Injected {
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
  readonly active: Injected[] = [];

  async during(injected: Injected, timeline: Timeline, inject: () => Promise<Effect>): Promise<void> {
    const [beganMs, began] = [timeline.elapsed(), new Date()];
    this.active.push(injected);
    const effect = await inject();
    this.active.splice(this.active.indexOf(injected), 1);
    const [endedMs, ended] = [timeline.elapsed(), new Date()];
    this.entries.push({ ...injected, effect, beganMs, began, endedMs, ended });
  }

  get lastEndMs(): number {
    return Math.max(0, ...this.entries.map(({ endedMs }) => endedMs));
  }

  /** When processes of apps, or what they need, were disturbed. A restart in order disturbs nothing. */
  get disturbances(): Disturbance[] {
    return this.entries
      .filter(({ fault }) => fault !== 'restart-process')
      .map(({ target, began, ended }) => ({ target, began, ended }));
  }
}
