import { type ContactFilter, type ContactTable, queryContactRows, readContactTable } from '@gangan/contracts';
import { createAccount, sql } from '@gangan/database';
import { newContext, runInContext } from '@gangan/protocol';
import type { Queues } from '@gangan/queue';
import { firstValueFrom } from 'rxjs';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { openProducer } from '../environment/producer.js';

const batchSize = 10_000;
const perPage = 100;

/** A contacts worker, called as the gateway calls it. */
export class ContactsRun {
  private constructor(
    private readonly environment: BenchEnvironment,
    private readonly queues: Queues,
    private readonly metrics: string,
  ) {}

  static async start(environment: BenchEnvironment): Promise<ContactsRun> {
    const queues = await openProducer(environment);
    const { metricsPort } = await environment.app('contacts');
    return new ContactsRun(environment, queues, `http://127.0.0.1:${metricsPort}/metrics`);
  }

  /** Creates an organisation with so many contacts, and returns its id. */
  async organisation(name: string, rows: number): Promise<string> {
    const { database, sealer } = this.environment;
    const account = await createAccount(database, sealer, { name, sender: 'Bench' });
    const id = account.organisations[0]?.id ?? '';
    const table = await runInContext(newContext({ organisationId: id }), () =>
      firstValueFrom(this.queues.client.send(readContactTable, {})),
    );
    await this.fill(table, rows);
    return id;
  }

  /** Reads the first page. */
  async query(organisationId: string, filters: readonly ContactFilter[]): Promise<void> {
    const request = { rows: { filters: [...filters] }, page: { per_page: perPage } };
    await runInContext(newContext({ organisationId }), () =>
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
    await this.environment.database.execute(sql`VACUUM (ANALYZE) contact_row`);
    await this.environment.database.execute(sql`CHECKPOINT`);
  }

  /** Inserts contacts with realistic names, addresses and numbers. */
  private async fill(table: ContactTable, rows: number): Promise<void> {
    const [name = '', email = '', mobile = ''] = table.columns.map(({ id }) => id);
    for (let from = 0; from < rows; from += batchSize) {
      const to = Math.min(rows, from + batchSize) - 1;
      await this.environment.database.execute(sql`
        INSERT INTO contact_row (table_id, id, cells)
        SELECT ${table.id}::uuid, uuidv7(), jsonb_build_object(
          ${name}::text, (ARRAY['Ada', 'Chinedu', 'Grace', 'Bola', 'Musa', 'Kofi', 'Zainab', 'Tunde'])[1 + n % 8]
            || ' ' || (ARRAY['Okafor', 'Lovelace', 'Hopper', 'Adeyemi', 'Bello', 'Mensah'])[1 + n % 6] || ' ' || n,
          ${email}::text, 'person' || n || (ARRAY['@example.com', '@example.org', '@mail.example'])[1 + n % 3],
          ${mobile}::text, '+234803' || lpad(n::text, 7, '0'))
        FROM generate_series(${from}::int, ${to}::int) AS n`);
    }
  }
}
