import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@gangan/database';
import { CallbackRun } from '../callbacks/callback-run.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { createCustomer } from '../environment/customers.js';
import { createProvider } from '../environment/providers.js';
import { megabytesOf, resetPeak } from '../environment/processor-time.js';
import { RunningProcesses } from '../environment/running-processes.js';
import type { ScriptProcess } from '@gangan/testing';
import type { PacedLoadTask } from '../load/paced-load.js';
import { benchScript } from '../scripts.js';
import { quantile } from '../statistics.js';
import type { AttackOptions } from './attack-options.js';
import { type AttackName, attackOf, isReference } from './attacks.js';
import { CostMeter } from './cost.js';
import { clearDeadHosts, fillDeadHosts } from './dead-hosts.js';
import { connectionsPerSecond } from './held-connections.js';
import type { Answers, AttackerOrder, AttackOrder } from './orders.js';
import type { CostRound } from './report/cost-report.js';
import type { SlowdownRound, View } from './report/slowdown-report.js';

/** For an attack to take effect, and for its effects to end. */
const settleMs = 2_000;
const warmUpSeconds = 5;
/** Of the other organisation. */
const requestsPerSecond = 50;
const callbacksPerSecond = 25;
/** The attempts of dead hosts that are in flight when their callbacks are cleared end after the default CALLBACK_TIMEOUT_MS. */
const deadHostsMs = 15_000 + settleMs;
/** Overload is handled as in production; the variables of a bench switch that off. */
const env = { MAX_EVENT_LOOP_DELAY_MS: '' };

/** `load` are the requests of the other organisation. */
type Servers = Readonly<Record<'gateway' | 'bareServer' | 'load' | 'attacker', ScriptProcess>>;

/** A gateway and its workers, an organisation, and an attacker with a key of another. */
export class AttackRun {
  private meter?: Promise<CostMeter>;
  /** When the effects of the last attack have ended. */
  private quietAt = 0;

  private constructor(
    private readonly database: Database,
    private readonly servers: Servers,
    private readonly processes: RunningProcesses,
    private readonly callbacks: CallbackRun,
    private readonly parties: Awaited<ReturnType<typeof createParties>>,
    private readonly consumers: { readonly healthy: readonly string[]; readonly deadPort: number },
  ) {}

  static async start(environment: BenchEnvironment): Promise<AttackRun> {
    const parties = await createParties(environment);
    const callbacks = await CallbackRun.start(environment);
    const [gateway, lookup, messaging, contacts, bareServer, load, attacker] = await Promise.all([
      environment.app('gateway', { env }),
      environment.app('lookup'),
      environment.app('messaging'),
      environment.app('contacts'),
      environment.fork(benchScript('attack/bare-server')),
      environment.fork(benchScript('load/load-process')),
      environment.fork(benchScript('attack/attacker-process')),
    ]);
    const processes = { gateway, callback: callbacks.worker, lookup, messaging, contacts };
    const healthy = await callbacks.openConsumers('healthy', 1);
    const [dead = ''] = await callbacks.openConsumers('dead', 1);
    return new AttackRun(
      environment.database,
      { gateway, bareServer, load, attacker },
      new RunningProcesses(processes),
      callbacks,
      parties,
      { healthy, deadPort: Number(new URL(dead).port) },
    );
  }

  /** @returns `undefined` if the attack does not consist of requests that have a plain equivalent */
  async measureCost(attack: AttackName, { seconds }: AttackOptions): Promise<CostRound | undefined> {
    const chosen = attackOf(attack);
    if (chosen.kind !== 'flood' || isReference(chosen)) return undefined;
    await this.quiet();
    const meter = await (this.meter ??= this.startMeter());
    const { unlimited, webhook } = this.parties;
    const access = { key: unlimited.key, webhook };
    const target = { attack, port: this.servers.gateway.port, access, seconds };
    const plain = await meter.costOf({ ...target, which: 'plain' });
    const hostile = await meter.costOf({ ...target, which: 'hostile' });
    return { attack, plain, hostile };
  }

  /**
   * Compares it with ordinary requests of the same size at the same rate, or, without a key and if there are none, with the
   * same traffic at a server that does nothing.
   * @throws if a process has ended
   */
  async measureSlowdown(attack: AttackName, { seconds, size }: AttackOptions): Promise<SlowdownRound> {
    const chosen = attackOf(attack);
    const { kind, amount: fullAmount } = chosen;
    const hasPlain = chosen.kind === 'flood' && chosen.by !== 'anyone' && !isReference(chosen);
    const amount = Math.ceil(fullAmount * size);
    const isSent = kind !== 'rows';
    /** Until an attack has taken effect: until all connections are open. */
    const effectMs = settleMs + (kind === 'hold' ? (amount / connectionsPerSecond) * 1_000 : 0);
    const send = (which: AttackOrder['which'], { port }: ScriptProcess): Promise<unknown> =>
      this.send({ attack, which, port, amount, seconds: seconds + effectMs / 1_000 });
    await this.quiet();
    // Processes are slow at first.
    await this.view(Math.min(warmUpSeconds, seconds));
    if (hasPlain) await send('plain', this.servers.gateway);
    else if (isSent) await send('hostile', this.servers.bareServer);
    await pause(effectMs);
    const ordinary = await this.view(seconds);
    if (isSent) await this.stop();
    await pause(settleMs);
    const { pid } = this.servers.gateway;
    await resetPeak(pid);
    const memory = await megabytesOf(pid);
    const { organisationId } = this.parties.hostile;
    await (isSent
      ? send('hostile', this.servers.gateway)
      : fillDeadHosts(this.database, organisationId, this.consumers.deadPort, amount));
    await pause(effectMs);
    const during = await this.view(seconds);
    const answers = isSent
      ? await this.stop()
      : { cleared: await clearDeadHosts(this.database, organisationId) };
    await this.processes.times();
    this.quietAt = performance.now() + (isSent ? settleMs : deadHostsMs);
    return { attack, ordinary, during, memory, peak: await megabytesOf(pid, 'VmHWM'), answers };
  }

  /** What the other organisation sees. */
  private async view(seconds: number, perSecond = requestsPerSecond): Promise<View> {
    const request = `GET /lookup/phone?phone=08031234567 HTTP/1.1\r\nhost: bench\r\nauthorization: ${this.parties.victim.key}\r\n\r\n`;
    const paced = { port: this.servers.gateway.port, request, perSecond, seconds };
    const [requests, callbacks] = await Promise.all([
      this.servers.load.ask<number[]>(paced satisfies PacedLoadTask),
      this.callbacks.measure(this.consumers.healthy, [], { perSecond: callbacksPerSecond, seconds }),
    ]);
    return { requests: quantile(requests, 0.99), callbacks: quantile(callbacks, 0.99) };
  }

  private async quiet(): Promise<void> {
    await pause(this.quietAt - performance.now());
    await this.processes.settle();
  }

  private async startMeter(): Promise<CostMeter> {
    await this.view(1, 20);
    return CostMeter.start(this.processes, this.servers.attacker);
  }

  private send(order: Omit<AttackOrder, 'do' | 'access'>): Promise<unknown> {
    const { hostile, webhook } = this.parties;
    return this.ask({ do: 'attack', access: { key: hostile.key, webhook }, ...order });
  }

  /** Ends the attack. @returns what was answered */
  private stop(): Promise<Answers> {
    return this.ask({ do: 'stop' });
  }

  private ask(order: AttackerOrder): Promise<Answers> {
    return this.servers.attacker.ask(order);
  }
}

async function createParties(environment: BenchEnvironment) {
  const secret = 'the app secret';
  const { path } = await createProvider(environment, {
    name: 'whatsapp',
    kind: 'whatsapp',
    channel: 'whatsapp',
    secrets: { access_token: 'the access token', app_secret: secret, verify_token: 'the verify token' },
    settings: () => ({ phoneNumberId: '1' }),
  });
  const test = { mode: 'test', scopes: ['sms:write', 'contacts:write', 'lookup:read'] } as const;
  return {
    victim: await createCustomer(environment, { mode: 'test', scopes: ['lookup:read'] }),
    hostile: await createCustomer(environment, { ...test, requestsPerSecond: 100 }),
    /** Its requests are not limited, so that the cost of each can be measured. */
    unlimited: await createCustomer(environment, test),
    webhook: { path, secret },
  };
}
