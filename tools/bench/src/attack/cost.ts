import { setTimeout as pause } from 'node:timers/promises';
import type { RunningProcesses, TimeByProcess } from '../environment/running-processes.js';
import type { ScriptProcess } from '@gangan/testing';
import type { Answers, RepeatOrder } from './orders.js';

/** What one request costs each process, in microseconds of processor time. */
export interface RequestCost {
  readonly byProcess: TimeByProcess;
  readonly answers: Answers;
}

const idleMs = 3_000;
const maxWarmUpSeconds = 2;

/** Measures the processor time of requests. What idle processes use is subtracted. */
export class CostMeter {
  private constructor(
    private readonly processes: RunningProcesses,
    private readonly attacker: ScriptProcess,
    /** Microseconds of idle processes per millisecond. */
    private readonly idle: TimeByProcess,
  ) {}

  static async start(processes: RunningProcesses, attacker: ScriptProcess): Promise<CostMeter> {
    await processes.settle();
    const { used, milliseconds } = await measure(processes, () => pause(idleMs));
    return new CostMeter(
      processes,
      attacker,
      mapTimes(used, (time) => time / milliseconds),
    );
  }

  async costOf(requests: Omit<RepeatOrder, 'do'>): Promise<RequestCost> {
    // Processes are slow at first.
    await this.send({ ...requests, seconds: Math.min(maxWarmUpSeconds, requests.seconds) });
    await this.processes.settle();
    const { result, used, milliseconds } = await measure(this.processes, async () => {
      const answers = await this.send(requests);
      await this.processes.settle();
      return answers;
    });
    const count = Object.values(result).reduce((a, b) => a + b, 0);
    const costs = mapTimes(used, (time, name) =>
      Math.max(0, (time - (this.idle[name] ?? 0) * milliseconds) / count),
    );
    return { byProcess: costs, answers: result };
  }

  private send(requests: Omit<RepeatOrder, 'do'>): Promise<Answers> {
    return this.attacker.ask({ do: 'repeat', ...requests } satisfies RepeatOrder);
  }
}

async function measure<T>(processes: RunningProcesses, work: () => Promise<T>) {
  const [before, started] = [await processes.times(), performance.now()];
  const result = await work();
  const [after, milliseconds] = [await processes.times(), performance.now() - started];
  return { result, used: mapTimes(after, (time, name) => time - (before[name] ?? 0)), milliseconds };
}

const mapTimes = (times: TimeByProcess, change: (time: number, name: string) => number): TimeByProcess =>
  Object.fromEntries(Object.entries(times).map(([name, time]) => [name, change(time, name)]));
