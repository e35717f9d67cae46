import type { BenchEnvironment, Started } from '../environment/bench-environment.js';
import { startCarrier } from '../carrier/carrier.js';
import { benchScript } from '../scripts.js';

/** `delivering` is the system; `direct` only accepts messages. */
export type SmsServerName = 'delivering' | 'direct' | 'direct-delivering' | 'one-job' | 'fastify';

/** The gateways and messaging workers, their carrier, and what they are compared with. */
export class SmsServers {
  private readonly others = new Map<SmsServerName, Promise<Started>>();

  private constructor(
    private readonly environment: BenchEnvironment,
    private readonly gateways: readonly Started[],
    private readonly workers: readonly Started[],
    private readonly carrierUrl: string,
  ) {}

  static async start(environment: BenchEnvironment, copies: number): Promise<SmsServers> {
    const start = (app: string, env: NodeJS.ProcessEnv = {}) =>
      Promise.all(Array.from({ length: copies }, () => environment.app(app, { env })));
    const gateways = await start('gateway');
    const carrierUrl = await startCarrier(
      environment,
      gateways.map(({ port = 0 }) => port),
    );
    const workers = await start('messaging', { SIMULATE_LIVE: 'false' });
    return new SmsServers(environment, gateways, workers, carrierUrl);
  }

  get pids(): { readonly gateways: readonly number[]; readonly workers: readonly number[] } {
    return { gateways: this.gateways.map(({ pid }) => pid), workers: this.workers.map(({ pid }) => pid) };
  }

  /** Stops and continues the workers. */
  signalWorkers(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const { pid } of this.workers) process.kill(pid, signal);
  }

  /** The ports of a server, which is started by the first call. */
  async ports(name: SmsServerName): Promise<readonly number[]> {
    if (name === 'delivering') return this.gateways.map(({ port = 0 }) => port);
    const started = this.others.get(name) ?? this.startOther(name);
    this.others.set(name, started);
    return [(await started).port ?? 0];
  }

  private async startOther(name: Exclude<SmsServerName, 'delivering'>): Promise<Started> {
    const { environment, carrierUrl } = this;
    const { databaseUrl } = environment;
    if (name === 'fastify') return environment.fork(benchScript('environment/bare-fastify'));
    if (name === 'direct' || name === 'direct-delivering') {
      const args = name === 'direct' ? [databaseUrl] : [databaseUrl, carrierUrl];
      return environment.fork(benchScript('sms/servers/direct-server'), { args });
    }
    const args = [JSON.stringify(environment.queue.connection), databaseUrl, carrierUrl];
    await environment.fork(benchScript('sms/servers/one-job-worker'), { args });
    return environment.fork(benchScript('sms/servers/one-job-gateway'), { args });
  }
}
