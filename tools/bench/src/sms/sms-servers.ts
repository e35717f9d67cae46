import type { ScriptProcess } from '@gangan/testing';
import { startCarrier } from '../carrier/carrier.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { benchScript } from '../scripts.js';

/** `delivering` is the system; `direct` only accepts messages. */
export type SmsServerName = 'delivering' | 'direct' | 'direct-delivering' | 'one-job';

/** The gateways and messaging workers, their carrier, and what they are compared with. */
export class SmsServers {
  private readonly others = new Map<SmsServerName, Promise<ScriptProcess>>();

  private constructor(
    private readonly environment: BenchEnvironment,
    readonly gateways: readonly ScriptProcess[],
    readonly workers: readonly ScriptProcess[],
    private readonly carrierUrl: string,
  ) {}

  static async start(environment: BenchEnvironment, copies: number): Promise<SmsServers> {
    const start = (app: string, env: NodeJS.ProcessEnv = {}) =>
      Promise.all(Array.from({ length: copies }, () => environment.app(app, { env })));
    const gateways = await start('gateway');
    const ports = gateways.map(({ port }) => port);
    const carrierUrl = await startCarrier(environment, ports);
    const workers = await start('messaging', { SIMULATE_LIVE: 'false' });
    return new SmsServers(environment, gateways, workers, carrierUrl);
  }

  /** Stops and continues the workers. */
  signalWorkers(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const { pid } of this.workers) process.kill(pid, signal);
  }

  /** The ports of a server, which is started by the first call. */
  async ports(name: SmsServerName): Promise<readonly number[]> {
    if (name === 'delivering') return this.gateways.map(({ port }) => port);
    const started = this.others.get(name) ?? this.startOther(name);
    this.others.set(name, started);
    return [(await started).port];
  }

  private async startOther(name: SmsServerName): Promise<ScriptProcess> {
    const { databaseUrl, queue } = this.environment;
    const toCarrier = [databaseUrl, this.carrierUrl];
    const fork = (script: string, args: readonly string[]) =>
      this.environment.fork(benchScript(`sms/servers/${script}`), { args });
    if (name === 'direct') return fork('direct-server', [databaseUrl]);
    if (name === 'direct-delivering') return fork('direct-server', toCarrier);
    const connection = JSON.stringify(queue.connection);
    await fork('one-job-server', [connection, ...toCarrier]);
    return fork('one-job-server', [connection]);
  }
}
