import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@gangan/database';
import { summarize } from '../callbacks/callback-report.js';
import { CallbackRun } from '../callbacks/callback-run.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { createCustomers, type Customer } from '../environment/customers.js';
import { BenchProcess } from '../processes/bench-process.js';
import { benchScript } from '../scripts.js';
import type { AttackName, HttpAttack } from './attack-names.js';
import type { AttackOptions } from './attack-options.js';
import type { AttackRound, View } from './attack-report.js';
import { Attacker } from './attacker.js';
import type { Answers } from './attacker-order.js';
import { clearDeadHosts, fillDeadHosts } from './dead-hosts.js';

/** For an attack to take effect, and for its effects to end. */
const settleMs = 2_000;
const warmUpSeconds = 5;
const callbacksPerSecond = 25;
/** The attempts of dead hosts that are in flight when their callbacks are cleared end after the default CALLBACK_TIMEOUT_MS. */
const deadHostsMs = 15_000 + settleMs;
/** Overload is handled as in production; the variables of a bench switch that off. */
const env = { MAX_EVENT_LOOP_DELAY_MS: '' };

/** A gateway and its workers, an organisation, and an attacker with a key of another. */
export class AttackRun {
  private readonly load = new BenchProcess('The load generator');
  private readonly attacker = new Attacker();
  /** When the effects of the last attack have ended. */
  private quietAt = 0;

  private constructor(
    private readonly database: Database,
    private readonly ports: { readonly gateway: number; readonly bareServer: number },
    private readonly callbacks: CallbackRun,
    private readonly parties: { readonly victim: Customer; readonly hostile: Customer },
    private readonly consumers: { readonly healthy: readonly string[]; readonly deadPort: number },
  ) {}

  static async start(environment: BenchEnvironment): Promise<AttackRun> {
    const { database } = environment;
    const [victim] = await createCustomers(environment, { count: 1, mode: 'test', scopes: ['lookup:read'] });
    const [hostile] = await createCustomers(environment, {
      count: 1,
      mode: 'test',
      scopes: ['sms:write', 'contacts:write'],
      requestsPerSecond: 100,
    });
    if (!victim || !hostile) throw new Error('Two organisations are needed');
    const callbacks = await CallbackRun.start(environment);
    const [{ port: gateway = 0 }, { port: bareServer = 0 }] = await Promise.all([
      environment.app('gateway', { env }),
      environment.fork(benchScript('attack/bare-server')),
      ...['lookup', 'messaging', 'contacts'].map((name) => environment.app(name)),
    ]);
    const healthy = await callbacks.openConsumers('healthy', 1);
    const [dead = ''] = await callbacks.openConsumers('dead', 1);
    const consumers = { healthy, deadPort: Number(new URL(dead).port) };
    const run = new AttackRun(database, { gateway, bareServer }, callbacks, { victim, hostile }, consumers);
    environment.atEnd(() => run.load.stop());
    environment.atEnd(() => run.attacker.end());
    return run;
  }

  async measure(attack: AttackName, options: AttackOptions): Promise<AttackRound> {
    await pause(this.quietAt - performance.now());
    // Processes are slow at first.
    await this.view({ ...options, seconds: Math.min(warmUpSeconds, options.seconds) });
    if (attack !== 'dead-hosts') this.flood(attack, this.ports.bareServer, options);
    await pause(settleMs);
    const before = await this.view(options);
    if (attack !== 'dead-hosts') await this.attacker.stop();
    await pause(settleMs);
    await this.startAttack(attack, options);
    await pause(settleMs);
    const during = await this.view(options);
    const answers = await this.stopAttack(attack);
    this.quietAt = performance.now() + (attack === 'dead-hosts' ? deadHostsMs : settleMs);
    return { attack, before, during, answers };
  }

  async view({ rate, seconds }: AttackOptions): Promise<View> {
    const request = `GET /lookup/phone?phone=08031234567 HTTP/1.1\r\nhost: bench\r\nauthorization: ${this.parties.victim.key}\r\n\r\n`;
    const paced = { port: this.ports.gateway, request, perSecond: rate, seconds };
    const [{ milliseconds }, callbacks] = await Promise.all([
      this.load.do({ do: 'paced load', load: paced }, 'paced'),
      this.callbacks.measure(this.consumers.healthy, [], { rate: callbacksPerSecond, seconds }),
    ]);
    return { requests: summarize(milliseconds), callbacks: summarize(callbacks) };
  }

  private async startAttack(attack: AttackName, options: AttackOptions): Promise<void> {
    if (attack === 'dead-hosts') {
      const { organisationId } = this.parties.hostile;
      await fillDeadHosts(this.database, organisationId, this.consumers.deadPort, options.hosts);
    } else this.flood(attack, this.ports.gateway, options);
  }

  private flood(attack: HttpAttack, port: number, options: AttackOptions): void {
    const amounts = {
      spaces: options.attacks,
      'deep-json': options.attacks,
      'unknown-keys': options.keys,
      'slow-uploads': options.uploads,
    };
    this.attacker.start({ attack, port, key: this.parties.hostile.key, amount: amounts[attack] });
  }

  private async stopAttack(attack: AttackName): Promise<Answers> {
    if (attack !== 'dead-hosts') return this.attacker.stop();
    return { cleared: await clearDeadHosts(this.database, this.parties.hostile.organisationId) };
  }
}
