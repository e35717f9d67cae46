import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { type Database, sql } from '@gangan/database';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { type Customer, createCustomers } from '../environment/customers.js';
import { postgresTime, processorTime, processorTimeKnown } from '../environment/processor-time.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadResult } from '../load/run-load.js';
import { expireUndelivered, openDeliveries } from './deliveries.js';
import type { SmsScenario } from './sms-report.js';
import { smsRequest } from './sms-requests.js';
import { type SmsServerName, SmsServers } from './sms-servers.js';

const customerOptions = { mode: 'live', scopes: ['sms:write'] } as const;
const warmUpMs = 400;
const finalTimeoutMs = 300_000;
const pollMs = 20;
/** After which what is still queued by the direct server was left by an earlier load. */
const patienceMs = 10_000;
const quietMs = 200;

export interface SmsLoad extends SmsScenario {
  readonly connections: number;
  readonly seconds: number;
}

/** Microseconds of processor time, by process. */
export interface SmsCpu {
  readonly gateway: number;
  readonly worker: number;
  readonly postgres: number;
}

export interface SmsResult extends LoadResult {
  /** Recipients per second from the first request until all deliveries are final. */
  readonly finalPerSecond: number;
  /** Per stored message, delivery included; NaN where it is not known. */
  readonly cpu: SmsCpu;
  /** Kilobytes of write-ahead log per stored message, delivery included. */
  readonly wal: number;
}

/** A gateway and a messaging worker (or several), and other servers on the same database. */
export class SmsRun {
  private readonly generator = new LoadGenerator();

  private constructor(
    readonly database: Database,
    readonly customers: readonly Customer[],
    readonly servers: SmsServers,
  ) {}

  static async start(environment: BenchEnvironment, organisations: number, copies = 1): Promise<SmsRun> {
    const customers = await createCustomers(environment, { ...customerOptions, count: organisations });
    const servers = await SmsServers.start(environment, copies);
    const run = new SmsRun(environment.database, customers, servers);
    environment.atEnd(() => run.generator.stop());
    return run;
  }

  /** Ends when all deliveries are final. @throws if the responses do not match the table */
  async measure(server: SmsServerName, load: SmsLoad): Promise<SmsResult> {
    const ports = await this.servers.ports(server);
    await this.untilStored();
    const [stored, wal, cpu] = [await this.stored(), await this.written(), await this.cpu()];
    const started = performance.now();
    const results = await Promise.all(ports.map((port) => this.load(server, port, load, ports.length)));
    const result = combine(results);
    if (server === 'direct') await this.untilStored();
    await this.untilFinal(server === 'direct' ? 0 : patienceMs);
    const seconds = (performance.now() - started) / 1_000;
    const messages = (await this.stored()) - stored;
    if (server !== 'fastify') assertStored(messages, result);
    const used = await this.cpu();
    return {
      ...result,
      finalPerSecond: (messages * load.recipients) / seconds,
      cpu: {
        gateway: (used.gateway - cpu.gateway) / messages,
        worker: (used.worker - cpu.worker) / messages,
        postgres: (used.postgres - cpu.postgres) / messages,
      },
      wal: ((await this.written()) - wal) / 1_000 / messages,
    };
  }

  /** Waits until every delivery has a final state. Those of the direct server are ended after `expireAfterMs`. */
  async untilFinal(expireAfterMs = patienceMs): Promise<void> {
    const started = performance.now();
    while (await openDeliveries(this.database)) {
      const waited = performance.now() - started;
      if (waited > finalTimeoutMs) throw new Error('Deliveries did not become final');
      if (waited >= expireAfterMs) await expireUndelivered(this.database);
      await pause(pollMs);
    }
  }

  async audit(): Promise<void> {
    const { clean, findings } = await checkLedger(this.database);
    if (!clean) throw new Error(`The ledger is inconsistent: ${JSON.stringify(findings)}`);
  }

  async cpu(): Promise<SmsCpu> {
    if (!processorTimeKnown) return { gateway: NaN, worker: NaN, postgres: NaN };
    const sum = async (pids: readonly number[]): Promise<number> =>
      (await Promise.all(pids.map(processorTime))).reduce((total, one) => total + one, 0);
    const { gateways, workers } = this.servers.pids;
    return {
      gateway: await sum(gateways),
      worker: await sum(workers),
      postgres: await postgresTime(this.database),
    };
  }

  /** The bytes of write-ahead log so far. */
  private async written(): Promise<number> {
    const [row] = await this.database.query<{ bytes: number }>(
      sql`SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes`,
    );
    return row?.bytes ?? NaN;
  }

  private load(server: SmsServerName, port: number, load: SmsLoad, ports: number): Promise<LoadResult> {
    const requests = this.customers
      .slice(0, load.organisations)
      .map(({ key, organisationId }) =>
        smsRequest(server === 'delivering' ? key : organisationId, load.recipients),
      );
    const connections = Math.max(1, Math.round(load.connections / ports));
    return this.generator.run({ port, connections, warmUpMs, measureMs: load.seconds * 1_000, requests });
  }

  /** Requests that were not answered when the load ended are still processed. */
  private async untilStored(): Promise<void> {
    let before = -1;
    for (let now = await this.stored(); now !== before; now = await this.stored()) {
      before = now;
      await pause(quietMs);
    }
  }

  private async stored(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM message`,
    );
    return row?.count ?? 0;
  }
}

function combine(results: readonly LoadResult[]): LoadResult {
  const sum = (of: (one: LoadResult) => number): number => results.reduce((total, one) => total + of(one), 0);
  const others: Record<number, number> = {};
  for (const one of results)
    for (const [status, count] of Object.entries(one.others))
      others[Number(status)] = (others[Number(status)] ?? 0) + count;
  return {
    succeeded: sum(({ succeeded }) => succeeded),
    others,
    unanswered: sum(({ unanswered }) => unanswered),
    perSecond: sum(({ perSecond }) => perSecond),
    p50: sum(({ p50 }) => p50) / results.length,
    p99: Math.max(...results.map(({ p99 }) => p99)),
  };
}

function assertStored(stored: number, { succeeded, others, unanswered }: LoadResult): void {
  const refused = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (stored >= succeeded && stored <= succeeded + refused + unanswered) return;
  throw new Error(`${succeeded} messages were accepted, ${refused} were not, and ${stored} are stored`);
}
