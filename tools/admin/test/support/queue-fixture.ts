import { lookupPhone } from '@gangan/contracts';
import { type Database, sql } from '@gangan/database';
import { newContext, runInContext } from '@gangan/protocol';
import { MasterKeys, newQueueKey, Queues } from '@gangan/queue';
import { until } from '@gangan/testing';
import type { AdminFixture } from './admin-fixture.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A queue without a worker. */
export class QueueFixture {
  private constructor(
    private readonly database: Database,
    private readonly queues: Queues,
    readonly key: string,
  ) {}

  static async open(admin: AdminFixture): Promise<QueueFixture> {
    const { database, url } = admin;
    const key = newQueueKey();
    const connection = { kind: 'postgres', url, poolSize: 2 } as const;
    const queues = await Queues.open(
      { connection, app: 'gateway', keys: new MasterKeys([key]) },
      'producer',
      silent,
    );
    const answers = () =>
      queues.ping().then(
        () => true,
        () => false,
      );
    await until('the queue answers', answers);
    const fixture = new QueueFixture(database, queues, key);
    admin.atEnd(() => fixture.close());
    return fixture;
  }

  /** Sends a request to the lane `lookup` and parks its job as a worker would do; returns the id of the job. */
  async park(phone: string): Promise<string> {
    const context = newContext({ organisationId: 'acme' });
    const earlier = await this.database.query<{ id: string }>(
      sql`SELECT id FROM bullmq.job WHERE queue = 'gangan-lookup'`,
    );
    const caller = runInContext(context, () => this.queues.client.send(lookupPhone, { phone })).subscribe({
      error: () => undefined,
    });
    const parked = await until('the job is stored and parked', async () => {
      const [job] = await this.database.query<{ id: string }>(sql`
        UPDATE bullmq.job SET state = 'failed', failed_reason = 'started 3 times and never finished',
          finished_at_ms = added_at_ms, attempts_started = 1
        WHERE queue = 'gangan-lookup' AND state = 'waiting' AND id <> ALL (${earlier.map(({ id }) => id)}::text[])
        RETURNING id`);
      return job;
    });
    caller.unsubscribe();
    return parked.id;
  }

  private async close(): Promise<void> {
    await this.queues.client.close();
    await this.queues.close();
  }
}
