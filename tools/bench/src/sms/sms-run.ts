import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { type Database, sql } from '@gangan/database';
import type { BrokerKind, Resources, ScriptProcess } from '@gangan/testing';
import { BenchEnvironment, readValue } from '../environment/bench-environment.js';
import { type Customer, createCustomer } from '../environment/customers.js';
import { postgresTime, processorTime } from '../environment/processor-time.js';
import { postRequest } from '../load/exchange.js';
import type { LoadResult, LoadTask } from '../load/run-load.js';
import { benchScript } from '../scripts.js';
import { expireUndelivered, hasOpenDeliveries } from './deliveries.js';
import { smsBody } from './sms-body.js';
import { type SmsServerName, SmsServers } from './sms-servers.js';

export const organisations = 50;
const finalTimeoutMs = 300_000;
const pollMs = 20;
/** After which what is still queued by the direct server was left by an earlier load. */
const patienceMs = 10_000;

export interface SmsLoad {
  readonly server: SmsServerName;
  readonly connections: number;
  /** Per request. */
  readonly recipients?: number;
  readonly organisations?: number;
}

/** What messages use, delivery included: microseconds of processor time, and kilobytes of write-ahead log. */
type Usage = Readonly<Record<'gateway' | 'worker' | 'postgres' | 'wal', number>>;

/** A gateway and a messaging worker (or several), and other servers on the same database. */
export class SmsRun {
  private constructor(
    private readonly generator: ScriptProcess,
    readonly database: Database,
    readonly customers: readonly Customer[],
    readonly servers: SmsServers,
  ) {}

  static async start(on: BrokerKind, resources: Resources, copies = 1): Promise<SmsRun> {
    const environment = await BenchEnvironment.start(on, resources);
    const customers: Customer[] = [];
    for (let count = 0; count < organisations; count += 1)
      customers.push(await createCustomer(environment, { mode: 'live', scopes: ['sms:write'] }));
    const servers = await SmsServers.start(environment, copies);
    const generator = await environment.fork(benchScript('load/load-process'));
    return new SmsRun(generator, environment.database, customers, servers);
  }

  /**
   * Ends when all deliveries are final. @returns the figures of the load, and what a message used
   * @throws if a request failed, or the responses do not match the table
   */
  async measure(load: SmsLoad, seconds: number) {
    const { server, connections, recipients = 1, organisations: count } = load;
    const ports = await this.servers.ports(server);
    const requests = this.customers
      .slice(0, count)
      .map(({ key, organisationId }) => (server === 'delivering' ? key : organisationId))
      .map((key) => postRequest('/sms/send', key, smsBody(recipients)));
    const [stored, before] = [await this.stored(), await this.usage()];
    const task: LoadTask = { ports, connections, seconds, requests };
    const { succeeded, perSecond, p50 } = await this.generator.ask<LoadResult>(task);
    await this.untilFinal(server === 'direct' ? 0 : patienceMs);
    const messages = (await this.stored()) - stored;
    if (messages !== succeeded)
      throw new Error(`${succeeded} messages were accepted, and ${messages} are stored`);
    const after = await this.usage();
    const used = (of: keyof Usage): number => (after[of] - before[of]) / messages;
    const [gateway, worker, postgres, wal] = [used('gateway'), used('worker'), used('postgres'), used('wal')];
    const cpu = gateway + worker + postgres;
    const handled = (succeeded * recipients) / ports.length;
    return {
      handled,
      requests: perSecond,
      recipients: perSecond * recipients,
      p50,
      gateway,
      worker,
      postgres,
      cpu,
      wal,
    };
  }

  /** Waits until every delivery has a final state. Those of the direct server are ended after `expireAfterMs`. */
  async untilFinal(expireAfterMs = patienceMs): Promise<void> {
    const started = performance.now();
    while (await hasOpenDeliveries(this.database)) {
      const waited = performance.now() - started;
      if (waited > finalTimeoutMs) throw new Error('Deliveries did not become final');
      if (waited >= expireAfterMs) await expireUndelivered(this.database);
      await pause(pollMs);
    }
  }

  async audit(): Promise<void> {
    await this.untilFinal();
    const { clean, findings } = await checkLedger(this.database);
    if (!clean) throw new Error(`The ledger is inconsistent: ${JSON.stringify(findings)}`);
  }

  async usage(): Promise<Usage> {
    const { database, servers } = this;
    const wal = sql`SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 / 1000 AS value`;
    return {
      gateway: await timeOfAll(servers.gateways),
      worker: await timeOfAll(servers.workers),
      postgres: await postgresTime(database),
      wal: await readValue(database, wal),
    };
  }

  private stored(): Promise<number> {
    return readValue(this.database, sql`SELECT count(*)::int AS value FROM message`);
  }
}

async function timeOfAll(processes: readonly ScriptProcess[]): Promise<number> {
  const times = await Promise.all(processes.map(({ pid }) => processorTime(pid)));
  return times.reduce((sum, time) => sum + time, 0);
}
