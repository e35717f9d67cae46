import { setTimeout as pause } from 'node:timers/promises';
import type { ScriptProcess } from '@gangan/testing';
import { processorTime } from './processor-time.js';

/** Processor time by the name of the process, in microseconds. */
export type TimeByProcess = Readonly<Record<string, number>>;

const settleTickMs = 300;
const settleTimeoutMs = 60_000;
/** The share of a core below which all processes together count as idle. */
const idleShare = 0.1;

/** Processes of the system whose use of the machine is measured. */
export class RunningProcesses {
  constructor(private readonly processes: Readonly<Record<string, ScriptProcess>>) {}

  /** @throws if one of them has ended */
  async times(): Promise<TimeByProcess> {
    const all = Object.entries(this.processes).map(async ([name, { pid }]) => {
      const microseconds = await processorTime(pid);
      if (Number.isNaN(microseconds)) throw new Error(`The process of ${name} has ended`);
      return [name, microseconds] as const;
    });
    return Object.fromEntries(await Promise.all(all));
  }

  /** Waits until they have done what they were asked to. */
  async settle(): Promise<void> {
    const until = performance.now() + settleTimeoutMs;
    let used = Infinity;
    while (used > idleShare && performance.now() < until) used = await this.used(settleTickMs);
  }

  /** The share of a core that they use. */
  private async used(milliseconds: number): Promise<number> {
    const [before, started] = [await this.times(), performance.now()];
    await pause(milliseconds);
    const [after, elapsed] = [await this.times(), performance.now() - started];
    const sum = (times: TimeByProcess): number => Object.values(times).reduce((a, b) => a + b, 0);
    return (sum(after) - sum(before)) / 1_000 / elapsed;
  }
}
