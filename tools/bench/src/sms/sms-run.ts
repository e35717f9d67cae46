import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { type Database, sql } from '@gangan/database';
import { QueueAdmin } from '@gangan/queue';
import type { LoadResult } from '../load/run-load.js';
import { BenchProcess } from '../processes/bench-process.js';
import { type Customer, createCustomers } from '../environment/customers.js';
import { quietLogger } from '../environment/quiet-logger.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { benchScript } from '../scripts.js';
import type { SmsScenario, SmsWay } from './sms-report.js';
import { smsRequest } from './sms-requests.js';

const directServer = benchScript('sms/direct-server');
const customerOptions = { mode: 'test', scopes: ['sms:write'] } as const;
const warmUpMs = 400;
const deliveryQueue = 'delivery-events';

/** A gateway and a messaging worker, and the direct server on the same database. */
export class SmsRun {
  private readonly load = new BenchProcess('The load generator');

  private constructor(
    readonly database: Database,
    private readonly admin: QueueAdmin,
    readonly customers: readonly Customer[],
    readonly ports: { readonly system: number; readonly direct: number },
  ) {}

  static async start(environment: BenchEnvironment, organisations: number): Promise<SmsRun> {
    const customers = await createCustomers(environment, { ...customerOptions, count: organisations });
    const [, { port: system = 0 }, { port: direct = 0 }] = await Promise.all([
      environment.app('messaging'),
      environment.app('gateway'),
      environment.fork(directServer, { args: [environment.databaseUrl] }),
    ]);
    const admin = await QueueAdmin.open(environment.queue, quietLogger);
    environment.atEnd(() => admin.close());
    const run = new SmsRun(environment.database, admin, customers, { system, direct });
    environment.atEnd(() => run.load.stop());
    return run;
  }

  /** @throws if the responses do not match the table */
  async measure(
    way: SmsWay,
    { recipients, organisations }: SmsScenario,
    connections: number,
    seconds: number,
  ): Promise<LoadResult> {
    const before = await this.stored();
    const requests = this.customers
      .slice(0, organisations)
      .map(({ key, organisationId }) => smsRequest(way === 'direct' ? organisationId : key, recipients));
    const port = way === 'direct' ? this.ports.direct : this.ports.system;
    const load = { port, connections, warmUpMs, measureMs: seconds * 1_000, requests };
    const { result } = await this.load.do({ do: 'load', load }, 'loaded');
    const stored = (await this.stored()) - before;
    const refused = Object.values(result.others).reduce((sum, count) => sum + count, 0);
    if (stored < result.succeeded || stored > result.succeeded + refused) {
      throw new Error(
        `${result.succeeded} messages were accepted, ${refused} were not, and ${stored} are stored`,
      );
    }
    await this.endDeliveries();
    await this.settle();
    return result;
  }

  /** Ends all waiting deliveries, so that they do not disturb the next measurement. */
  async settle(): Promise<void> {
    do while (!(await this.isIdle())) await pause(50);
    while ((await this.endDeliveries()) > 0);
  }

  async audit(): Promise<void> {
    const { clean, findings } = await checkLedger(this.database);
    if (!clean) throw new Error(`The ledger is inconsistent: ${JSON.stringify(findings)}`);
  }

  /** Ends all deliveries that are not locked. Returns how many. */
  private async endDeliveries(): Promise<number> {
    let all = 0;
    for (let some = 1; some > 0; all += some) {
      some = await this.database.execute(sql`
        UPDATE delivery SET state = 'expired', next_attempt_at = NULL WHERE id = ANY (ARRAY(
          SELECT id FROM delivery WHERE lane = 'sms' AND state IN ('queued', 'submitting', 'sent')
          LIMIT 5000 FOR UPDATE SKIP LOCKED))`);
    }
    return all;
  }

  private async isIdle(): Promise<boolean> {
    const { waiting, active } = await this.admin.state(deliveryQueue);
    return waiting + active === 0;
  }

  private async stored(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM message`,
    );
    return row?.count ?? 0;
  }
}
