import { type Contestant, nameOf } from '../ways/contestants.js';
import type { Place } from '../ways/way.js';
import { BenchProcess } from './bench-process.js';

/** Processor time in microseconds, by the process that used it. */
export interface Cpu {
  readonly gateway: number;
  readonly worker: number;
}

/** A contestant with its processes running. */
export class Entrant {
  private constructor(
    readonly contestant: Contestant,
    readonly port: number,
    private readonly gateway: BenchProcess,
    private readonly worker: BenchProcess | undefined,
  ) {}

  /** @param born is told of each process as soon as it exists, so that none is forgotten when a later one fails */
  static async start(
    contestant: Contestant,
    place: Place,
    born: (process: BenchProcess) => void,
  ): Promise<Entrant> {
    const { way, broker } = contestant;
    const start = (role: string): BenchProcess => {
      const process = new BenchProcess(`The ${role} of ${nameOf(contestant)}`);
      born(process);
      return process;
    };
    const worker = broker ? start('worker') : undefined;
    const gateway = start('gateway');
    const [{ port }] = await Promise.all([
      gateway.do({ do: 'gateway', way, place }, 'listening'),
      worker?.do({ do: 'worker', way, place }, 'working'),
    ]);
    return new Entrant(contestant, port, gateway, worker);
  }

  async cpu(): Promise<Cpu> {
    return {
      gateway: await this.gateway.cpuMicroseconds(),
      worker: (await this.worker?.cpuMicroseconds()) ?? 0,
    };
  }
}
