import type { BenchEnvironment, Started } from '../environment/bench-environment.js';
import { benchScript } from '../scripts.js';

/** `delivering` is the system. */
export type SmsServerName = 'delivering' | 'direct' | 'one-job' | 'fastify';

/** The gateways and messaging workers, and what they are compared with. */
export class SmsServers {
  private readonly others = new Map<SmsServerName, Promise<Started>>();

  private constructor(
    private readonly environment: BenchEnvironment,
    private readonly gateways: readonly Started[],
    private readonly workers: readonly Started[],
  ) {}

  static async start(environment: BenchEnvironment, copies: number): Promise<SmsServers> {
    const start = (app: string) => Promise.all(Array.from({ length: copies }, () => environment.app(app)));
    const [gateways, workers] = await Promise.all([start('gateway'), start('messaging')]);
    return new SmsServers(environment, gateways, workers);
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
    const { environment } = this;
    if (name === 'fastify') return environment.fork(benchScript('environment/bare-fastify'));
    if (name === 'direct')
      return environment.fork(benchScript('sms/servers/direct-server'), { args: [environment.databaseUrl] });
    const connection = JSON.stringify(environment.queue.connection);
    const args = [connection, environment.databaseUrl];
    await environment.fork(benchScript('sms/servers/one-job-worker'), { args });
    return environment.fork(benchScript('sms/servers/one-job-gateway'), { args });
  }
}
