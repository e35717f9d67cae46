import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { type Database, sql } from '@gangan/database';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { type Customer, createCustomer } from '../environment/customers.js';
import { postgresTime, processorTime } from '../environment/processor-time.js';
import { readValue } from '../environment/read-value.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { LoadResult } from '../load/run-load.js';
import type { Child } from '../processes/child.js';
import { expireUndelivered, hasOpenDeliveries } from './deliveries.js';
import { smsRequest } from './sms-requests.js';
import { type SmsServerName, SmsServers } from './sms-servers.js';

const customerOptions = { mode: 'live', scopes: ['sms:write'] } as const;
/** Seconds. */
const warmUp = 0.4;
const finalTimeoutMs = 300_000;
const pollMs = 20;
/** After which what is still queued by the direct server was left by an earlier load. */
const patienceMs = 10_000;
const quietMs = 200;

export interface SmsLoad {
  /** Per request. */
  readonly recipients: number;
  readonly organisations: number;
  readonly connections: number;
  readonly seconds: number;
}

/** What messages have used so far, delivery included. */
interface Usage {
  /** Microseconds of processor time; NaN where it is not known. */
  readonly gateway: number;
  readonly worker: number;
  readonly postgres: number;
  /** Kilobytes of write-ahead log. */
  readonly wal: number;
}

/** The usage is that of one message. */
export interface SmsResult extends LoadResult, Usage {
  /** Recipients per second from the first request until all deliveries are final. */
  readonly finalPerSecond: number;
}

/** A gateway and a messaging worker (or several), and other servers on the same database. */
export class SmsRun {
  private constructor(
    private readonly generator: LoadGenerator,
    readonly database: Database,
    readonly customers: readonly Customer[],
    readonly servers: SmsServers,
  ) {}

  static async start(environment: BenchEnvironment, organisations: number, copies = 1): Promise<SmsRun> {
    const { database, resources } = environment;
    const customers: Customer[] = [];
    for (let count = 0; count < organisations; count += 1)
      customers.push(await createCustomer(environment, customerOptions));
    const servers = await SmsServers.start(environment, copies);
    return new SmsRun(new LoadGenerator(resources), database, customers, servers);
  }

  /** Ends when all deliveries are final. @throws if the responses do not match the table */
  async measure(server: SmsServerName, load: SmsLoad): Promise<SmsResult> {
    const ports = await this.servers.ports(server);
    await this.untilStored();
    const [stored, before, started] = [await this.stored(), await this.usage(), performance.now()];
    const results = await Promise.all(ports.map((port) => this.load(server, port, load, ports.length)));
    const result = combine(results);
    if (server === 'direct') await this.untilStored();
    await this.untilFinal(server === 'direct' ? 0 : patienceMs);
    const seconds = (performance.now() - started) / 1_000;
    const messages = (await this.stored()) - stored;
    if (server !== 'fastify') assertStored(messages, result);
    const after = await this.usage();
    const perMessage = (of: keyof Usage): number => (after[of] - before[of]) / messages;
    return {
      ...result,
      finalPerSecond: (messages * load.recipients) / seconds,
      gateway: perMessage('gateway'),
      worker: perMessage('worker'),
      postgres: perMessage('postgres'),
      wal: perMessage('wal'),
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

  private load(server: SmsServerName, port: number, load: SmsLoad, ports: number): Promise<LoadResult> {
    const requests = this.customers
      .slice(0, load.organisations)
      .map(({ key, organisationId }) =>
        smsRequest(server === 'delivering' ? key : organisationId, load.recipients),
      );
    const connections = Math.max(1, Math.round(load.connections / ports));
    return this.generator.run({ port, connections, warmUp, seconds: load.seconds, requests });
  }

  /** Requests that were not answered when the load ended are still processed. */
  private async untilStored(): Promise<void> {
    let before = -1;
    for (let now = await this.stored(); now !== before; now = await this.stored()) {
      before = now;
      await pause(quietMs);
    }
  }

  private stored(): Promise<number> {
    return readValue(this.database, sql`SELECT count(*)::int AS value FROM message`);
  }
}

const timeOfAll = async (processes: readonly Child[]): Promise<number> =>
  sumOf(await Promise.all(processes.map(({ pid }) => processorTime(pid))));

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function combine(results: readonly LoadResult[]): LoadResult {
  const sum = (of: 'succeeded' | 'unanswered' | 'perSecond' | 'p50'): number =>
    sumOf(results.map((one) => one[of]));
  const others: Record<string, number> = {};
  for (const one of results)
    for (const [status, count] of Object.entries(one.others)) others[status] = (others[status] ?? 0) + count;
  return {
    succeeded: sum('succeeded'),
    others,
    unanswered: sum('unanswered'),
    perSecond: sum('perSecond'),
    p50: sum('p50') / results.length,
  };
}

function assertStored(stored: number, { succeeded, others, unanswered }: LoadResult): void {
  const refused = sumOf(Object.values(others));
  if (stored >= succeeded && stored <= succeeded + refused + unanswered) return;
  throw new Error(`${succeeded} messages were accepted, ${refused} were not, and ${stored} are stored`);
}
