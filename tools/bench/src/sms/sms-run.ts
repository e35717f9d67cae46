import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { type Database, sql } from '@gangan/database';
import { QueueAdmin } from '@gangan/queue';
import type { LoadResult } from '../load/run-load.js';
import { BenchProcess } from '../processes/bench-process.js';
import { type Customer, openCustomers } from '../stage/customers.js';
import { quietLogger } from '../stage/quiet-logger.js';
import type { Stage } from '../stage/stage.js';
import type { SmsWay } from './sms-report.js';
import { smsRequest } from './sms-requests.js';

const directServer = new URL('direct-server.js', import.meta.url);
const customersWish = { count: 16, mode: 'test', scope: 'sms:write' } as const;
const warmUpMs = 400;
const deliveryLane = 'delivery-events';

/** A system with gateway and messaging worker, and beside it the direct way on the same database. */
export class SmsRun {
  private readonly load = new BenchProcess('The load generator');

  private constructor(
    readonly database: Database,
    private readonly admin: QueueAdmin,
    readonly customers: readonly Customer[],
    readonly ports: { readonly system: number; readonly direct: number },
  ) {}

  static async start(stage: Stage): Promise<SmsRun> {
    const customers = await openCustomers(stage.database, customersWish);
    const organisations = customers.map(({ organisationId }) => organisationId).join(',');
    const [, { port: system = 0 }, { port: direct = 0 }] = await Promise.all([
      stage.app('messaging'),
      stage.app('gateway'),
      stage.fork(directServer, { args: [stage.databaseUrl, organisations] }),
    ]);
    const admin = await QueueAdmin.open(stage.queue, quietLogger);
    stage.atEnd(() => admin.close());
    const run = new SmsRun(stage.database, admin, customers, { system, direct });
    stage.atEnd(() => run.load.stop());
    return run;
  }

  /** @throws when what was answered is not what was done */
  async measure(way: SmsWay, recipients: number, connections: number, seconds: number): Promise<LoadResult> {
    const before = await this.stored();
    const requests = this.customers.map(({ key }) => smsRequest(key, recipients));
    const port = way === 'direct' ? this.ports.direct : this.ports.system;
    if (way === 'accepting') await this.admin.pause(deliveryLane);
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
    await this.admin.resume(deliveryLane);
    await this.settle();
    return result;
  }

  /** Ends what still waits to be delivered, so that it does not disturb what is measured next. */
  async settle(): Promise<void> {
    do while (!(await this.isIdle())) await pause(50);
    while ((await this.endDeliveries()) > 0);
  }

  async audit(): Promise<void> {
    const { clean, findings } = await checkLedger(this.database);
    if (!clean) throw new Error(`The books do not agree: ${JSON.stringify(findings)}`);
  }

  /** All but those that somebody has in hand at the moment; gives how many that were. */
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
    const { waiting, active } = await this.admin.state(deliveryLane);
    return waiting + active === 0;
  }

  private async stored(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM message`,
    );
    return row?.count ?? 0;
  }
}
