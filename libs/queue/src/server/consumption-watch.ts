import { setTimeout as pause } from 'node:timers/promises';
import type { ConsumptionCheck } from './consumption-check.js';

/** Checks the lanes of a process at intervals, until one is stuck or it is stopped. */
export class ConsumptionWatch {
  private stopped = false;

  constructor(
    private readonly checks: readonly ConsumptionCheck[],
    private readonly intervalMs: number,
  ) {}

  /** @returns the name of a lane whose jobs this process has stopped taking; `undefined` if it was stopped before */
  async untilStuck(): Promise<string | undefined> {
    while (!this.stopped) {
      await pause(this.intervalMs, undefined, { ref: false });
      const stuck = await Promise.all(this.checks.map((check) => check.isStuck()));
      const first = this.checks[stuck.indexOf(true)];
      if (first) return first.lane.name;
    }
    return undefined;
  }

  stop(): void {
    this.stopped = true;
  }
}
