import {
  type ContactFilter,
  type ContactPageQuery,
  type ContactRowsPage,
  type ContactTable,
  queryContactRows,
  readContactTable,
} from '@gangan/contracts';
import { createAccount, type Database, sql } from '@gangan/database';
import { newContext, runInContext } from '@gangan/protocol';
import type { Queues } from '@gangan/queue';
import type { DataSealer } from '@gangan/sealing';
import { firstValueFrom } from 'rxjs';
import { openProducer } from '../environment/producer.js';
import type { BenchEnvironment } from '../environment/bench-environment.js';

/** A contacts worker, called as the gateway calls it. */
export class ContactsRun {
  private constructor(
    readonly database: Database,
    private readonly sealer: DataSealer,
    private readonly queues: Queues,
    private readonly metrics: string,
  ) {}

  static async start(environment: BenchEnvironment): Promise<ContactsRun> {
    const queues = await openProducer(environment);
    const { metricsPort = 0 } = await environment.app('contacts');
    return new ContactsRun(
      environment.database,
      environment.sealer,
      queues,
      `http://127.0.0.1:${metricsPort}/metrics`,
    );
  }

  /** Creates an organisation and its table. */
  async organisation(name: string): Promise<{ readonly id: string; readonly table: ContactTable }> {
    const account = await createAccount(this.database, this.sealer, { name, sender: 'Bench' });
    const id = account.organisations[0]?.id ?? '';
    const context = newContext({ organisationId: id });
    const table = await runInContext(context, () =>
      firstValueFrom(this.queues.client.send(readContactTable, {})),
    );
    return { id, table };
  }

  query(
    organisationId: string,
    filters: readonly ContactFilter[],
    page: ContactPageQuery,
  ): Promise<ContactRowsPage> {
    const request = { rows: { filters: [...filters] }, page };
    return runInContext(newContext({ organisationId }), () =>
      firstValueFrom(this.queues.client.send(queryContactRows, request)),
    );
  }

  /** The milliseconds that the worker has spent on queries so far, including the database. */
  async workedMs(): Promise<number> {
    const text = await (await fetch(this.metrics)).text();
    const sums = text.matchAll(
      /^gangan_queue_handler_seconds_sum\{[^}]*contract="contacts\.query-rows"[^}]*\} (\S+)$/gm,
    );
    return [...sums].reduce((total, [, seconds]) => total + Number(seconds) * 1_000, 0);
  }

  /** Does now what autovacuum would do later. */
  async settle(): Promise<void> {
    await this.database.execute(sql`VACUUM (ANALYZE) contact_row`);
    await this.database.execute(sql`CHECKPOINT`);
  }

  async sizes(): Promise<string> {
    const [row] = await this.database.query<{ rows: string; indexes: string }>(sql`
      SELECT pg_size_pretty(pg_table_size('contact_row')) AS rows,
        pg_size_pretty(pg_indexes_size('contact_row')) AS indexes`);
    return `${row?.rows} of rows, ${row?.indexes} of indexes`;
  }
}
