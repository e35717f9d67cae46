import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@gangan/database';
import { summarize } from '../callbacks/callback-report.js';
import { CallbackRun } from '../callbacks/callback-run.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { createCustomers, type Customer, type CustomerOptions } from '../environment/customers.js';
import { RunningProcesses } from '../environment/running-processes.js';
import { BenchProcess } from '../processes/bench-process.js';
import { benchScript } from '../scripts.js';
import type { AttackOptions } from './attack-options.js';
import type { AttackRound, View } from './report/attack-report.js';
import type { Answers } from './attacker-order.js';
import { Attacker } from './attacker.js';
import { type AttackName, attackOf } from './attacks.js';
import type { CostRound } from './report/cost-report.js';
import { CostMeter } from './cost.js';
import { clearDeadHosts, fillDeadHosts } from './dead-hosts.js';
import { connectionsPerSecond } from './held-connections.js';
import type { Access } from './requests/http-request.js';
import { createWebhookProvider } from './webhook-provider.js';

/** For an attack to take effect, and for its effects to end. */
const settleMs = 2_000;
const warmUpSeconds = 5;
const callbacksPerSecond = 25;
/** The attempts of dead hosts that are in flight when their callbacks are cleared end after the default CALLBACK_TIMEOUT_MS. */
const deadHostsMs = 15_000 + settleMs;
/** Overload is handled as in production; the variables of a bench switch that off. */
const env = { MAX_EVENT_LOOP_DELAY_MS: '' };
const workers = ['lookup', 'messaging', 'contacts'] as const;

interface Parties {
  readonly victim: Customer;
  readonly hostile: Customer;
  /** Its requests are not limited, so that the cost of each can be measured. */
  readonly unlimited: Customer;
  readonly webhook: Access['webhook'];
}

/** A gateway and its workers, an organisation, and an attacker with a key of another. */
export class AttackRun {
  private readonly load = new BenchProcess('The load generator');
  private readonly attacker = new Attacker();
  private meter?: Promise<CostMeter>;
  /** When the effects of the last attack have ended. */
  private quietAt = 0;

  private constructor(
    private readonly database: Database,
    private readonly ports: { readonly gateway: number; readonly bareServer: number },
    private readonly processes: RunningProcesses,
    private readonly callbacks: CallbackRun,
    private readonly parties: Parties,
    private readonly consumers: { readonly healthy: readonly string[]; readonly deadPort: number },
  ) {}

  static async start(environment: BenchEnvironment): Promise<AttackRun> {
    const parties = await createParties(environment);
    const callbacks = await CallbackRun.start(environment);
    const [gateway, bareServer, ...started] = await Promise.all([
      environment.app('gateway', { env }),
      environment.fork(benchScript('attack/bare-server')),
      ...workers.map((name) => environment.app(name)),
    ]);
    const processes = new RunningProcesses({
      gateway,
      callback: callbacks.worker,
      ...Object.fromEntries(
        workers.flatMap((name, index) => (started[index] ? [[name, started[index]]] : [])),
      ),
    });
    const healthy = await callbacks.openConsumers('healthy', 1);
    const [dead = ''] = await callbacks.openConsumers('dead', 1);
    const run = new AttackRun(
      environment.database,
      { gateway: gateway.port ?? 0, bareServer: bareServer.port ?? 0 },
      processes,
      callbacks,
      parties,
      { healthy, deadPort: Number(new URL(dead).port) },
    );
    environment.atEnd(() => run.load.stop());
    environment.atEnd(() => run.attacker.end());
    return run;
  }

  /** @returns `undefined` if the attack does not consist of requests that have a plain equivalent */
  async measureCost(attack: AttackName, { seconds }: AttackOptions): Promise<CostRound | undefined> {
    if (attackOf(attack).kind !== 'flood') return undefined;
    await this.quiet();
    const meter = await (this.meter ??= this.startMeter());
    const { unlimited, webhook } = this.parties;
    const target = { attack, port: this.ports.gateway, access: { key: unlimited.key, webhook }, seconds };
    const plain = await meter.costOf({ ...target, which: 'plain' });
    const hostile = await meter.costOf({ ...target, which: 'hostile' });
    return { attack, plain, hostile };
  }

  /** @throws if a process has ended */
  async measure(attack: AttackName, options: AttackOptions): Promise<AttackRound> {
    await this.quiet();
    const isSent = attackOf(attack).kind !== 'rows';
    // Processes are slow at first.
    await this.view({ ...options, seconds: Math.min(warmUpSeconds, options.seconds) });
    const effectMs = effectMsOf(attack, options);
    if (isSent) this.send(attack, this.ports.bareServer, options);
    await pause(effectMs);
    const before = await this.view(options);
    if (isSent) await this.attacker.stop();
    await pause(settleMs);
    const { result, memory } = await this.processes.measureMemory('gateway', async () => {
      await this.startAttack(attack, options);
      await pause(effectMs);
      const during = await this.view(options);
      return { during, answers: await this.stopAttack(attack) };
    });
    await this.processes.times();
    this.quietAt = performance.now() + (isSent ? settleMs : deadHostsMs);
    return { attack, before, memory, ...result };
  }

  async view({ rate, seconds }: Pick<AttackOptions, 'rate' | 'seconds'>): Promise<View> {
    const request = `GET /lookup/phone?phone=08031234567 HTTP/1.1\r\nhost: bench\r\nauthorization: ${this.parties.victim.key}\r\n\r\n`;
    const paced = { port: this.ports.gateway, request, perSecond: rate, seconds };
    const [{ milliseconds }, callbacks] = await Promise.all([
      this.load.do({ do: 'paced load', load: paced }, 'paced'),
      this.callbacks.measure(this.consumers.healthy, [], { rate: callbacksPerSecond, seconds }),
    ]);
    return { requests: summarize(milliseconds), callbacks: summarize(callbacks) };
  }

  private async quiet(): Promise<void> {
    await pause(this.quietAt - performance.now());
    await this.processes.settle();
  }

  private async startMeter(): Promise<CostMeter> {
    await this.view({ rate: 20, seconds: 1 });
    return CostMeter.start(this.processes, this.attacker);
  }

  private async startAttack(attack: AttackName, options: AttackOptions): Promise<void> {
    if (attackOf(attack).kind !== 'rows') {
      this.send(attack, this.ports.gateway, options);
      return;
    }
    const { organisationId } = this.parties.hostile;
    await fillDeadHosts(this.database, organisationId, this.consumers.deadPort, options.hosts);
  }

  private send(attack: AttackName, port: number, options: AttackOptions): void {
    const { hostile, webhook } = this.parties;
    const access = { key: hostile.key, webhook };
    this.attacker.start({ attack, port, access, amount: amountOf(attack, options) });
  }

  private async stopAttack(attack: AttackName): Promise<Answers> {
    if (attackOf(attack).kind !== 'rows') return this.attacker.stop();
    return { cleared: await clearDeadHosts(this.database, this.parties.hostile.organisationId) };
  }
}

async function createParties(environment: BenchEnvironment): Promise<Parties> {
  const create = async (
    options: Pick<CustomerOptions, 'scopes' | 'requestsPerSecond'>,
  ): Promise<Customer> => {
    const [customer] = await createCustomers(environment, { count: 1, mode: 'test', ...options });
    if (!customer) throw new Error('An organisation is needed');
    return customer;
  };
  const scopes = ['sms:write', 'contacts:write', 'lookup:read'] as const;
  return {
    victim: await create({ scopes: ['lookup:read'] }),
    hostile: await create({ scopes, requestsPerSecond: 100 }),
    unlimited: await create({ scopes }),
    webhook: await createWebhookProvider(environment),
  };
}

/** The time until an attack has taken effect: until all connections are open. */
const effectMsOf = (attack: AttackName, options: AttackOptions): number =>
  settleMs +
  (attackOf(attack).kind === 'hold' ? (amountOf(attack, options) / connectionsPerSecond) * 1_000 : 0);

/** Requests per second, or connections at a time. */
function amountOf(name: AttackName, options: AttackOptions): number {
  const attack = attackOf(name);
  if (attack.kind === 'rows') return options.hosts;
  if (attack.kind === 'hold') return options[attack.amount];
  return (attack.share ?? 1) * (attack.by === 'anyone' ? options.anonymous : options.attacks);
}
