import { type Variant, nameOf } from '../ways/variants.js';
import type { WaySettings } from '../ways/way.js';
import { BenchProcess } from './bench-process.js';

/** Processor time in microseconds, by the process that used it. */
export interface Cpu {
  readonly gateway: number;
  readonly worker: number;
}

/** A variant with its processes running. */
export class RunningVariant {
  private constructor(
    readonly variant: Variant,
    readonly port: number,
    private readonly gateway: BenchProcess,
    private readonly worker: BenchProcess | undefined,
  ) {}

  /** @param onStart is called with each process as soon as it exists, so that it is stopped also if a later one fails */
  static async start(
    variant: Variant,
    settings: WaySettings,
    onStart: (process: BenchProcess) => void,
  ): Promise<RunningVariant> {
    const { way, broker } = variant;
    const start = (role: string): BenchProcess => {
      const process = new BenchProcess(`The ${role} of ${nameOf(variant)}`);
      onStart(process);
      return process;
    };
    const worker = broker ? start('worker') : undefined;
    const gateway = start('gateway');
    const [{ port }] = await Promise.all([
      gateway.do({ do: 'gateway', way, settings }, 'listening'),
      worker?.do({ do: 'worker', way, settings }, 'working'),
    ]);
    return new RunningVariant(variant, port, gateway, worker);
  }

  async cpu(): Promise<Cpu> {
    return {
      gateway: await this.gateway.cpuMicroseconds(),
      worker: (await this.worker?.cpuMicroseconds()) ?? 0,
    };
  }
}
