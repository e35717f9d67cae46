import { startCarrier } from '../carrier/carrier.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import type { Child } from '../processes/child.js';
import { benchScript } from '../scripts.js';

/** `delivering` is the system; `direct` only accepts messages. */
export type SmsServerName = 'delivering' | 'direct' | 'direct-delivering' | 'one-job' | 'fastify';

/** The gateways and messaging workers, their carrier, and what they are compared with. */
export class SmsServers {
  private readonly others = new Map<SmsServerName, Promise<Child>>();

  private constructor(
    private readonly environment: BenchEnvironment,
    readonly gateways: readonly Child[],
    readonly workers: readonly Child[],
    private readonly carrierUrl: string,
  ) {}

  static async start(environment: BenchEnvironment, copies: number): Promise<SmsServers> {
    const start = (app: string, env: NodeJS.ProcessEnv = {}) =>
      Promise.all(Array.from({ length: copies }, () => environment.app(app, { env })));
    const gateways = await start('gateway');
    const carrierUrl = await startCarrier(
      environment,
      gateways.map(({ port }) => port),
    );
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

  private async startOther(name: Exclude<SmsServerName, 'delivering'>): Promise<Child> {
    const { environment, carrierUrl } = this;
    const { databaseUrl, queue } = environment;
    const fork = (script: string, ...args: readonly string[]) =>
      environment.fork(benchScript(script), { args });
    if (name === 'fastify') return fork('environment/bare-fastify');
    if (name === 'direct') return fork('sms/servers/direct-server', databaseUrl);
    if (name === 'direct-delivering') return fork('sms/servers/direct-server', databaseUrl, carrierUrl);
    const connection = JSON.stringify(queue.connection);
    await fork('sms/servers/one-job-worker', connection, databaseUrl, carrierUrl);
    return fork('sms/servers/one-job-gateway', connection);
  }
}
