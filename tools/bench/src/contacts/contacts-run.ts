import {
  type ContactFilter,
  type ContactPageWish,
  type ContactRowsPage,
  type ContactTable,
  queryContactRows,
  readContactTable,
} from '@gangan/contracts';
import { createAccount, Database, migrate, sql } from '@gangan/database';
import { newContext, runInContext } from '@gangan/protocol';
import { migrateQueue, newQueueKey, Queues } from '@gangan/queue';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { firstValueFrom } from 'rxjs';

const worker = fileURLToPath(new URL('../../../../apps/contacts/dist/main.js', import.meta.url));
/** As careful with its data as in production, and as large as the embedded one. */
const careful = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' };
const quiet = {
  info: () => undefined,
  warn: () => undefined,
  error: (details: object, message: string) =>
    void process.stderr.write(`${message} ${JSON.stringify(details)}\n`),
};

/** A database, a queue and a contacts worker, asked as the gateway asks it. */
export class ContactsRun {
  private closed?: Promise<void>;

  private constructor(
    private readonly postgres: TestPostgres,
    readonly database: Database,
    private readonly queues: Queues,
    private readonly worker: ChildProcess,
    private readonly metrics: string,
  ) {}

  static async start(): Promise<ContactsRun> {
    const postgres = await startPostgres(careful);
    const key = newQueueKey();
    await migrate(postgres.url);
    await migrateQueue(postgres.url);
    const database = new Database({ url: postgres.url, poolSize: 2, statementTimeoutMs: 600_000 });
    const connection = { kind: 'postgres', url: postgres.url, poolSize: 4 } as const;
    const queues = await Queues.open({ connection, keys: [key] }, 'producer', quiet);
    const port = await freePort();
    const child = fork(worker, {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        LOG_LEVEL: 'error',
        DATABASE_URL: postgres.url,
        QUEUE_KEY: key,
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: String(port),
      },
    });
    await Promise.race([once(child, 'message'), once(child, 'exit').then(refuse)]);
    while (!(await queues.ping().then(yes, no))) await pause(20);
    return new ContactsRun(postgres, database, queues, child, `http://127.0.0.1:${port}/metrics`);
  }

  /** A new organisation, and its table. */
  async organisation(name: string): Promise<{ readonly id: string; readonly table: ContactTable }> {
    const account = await this.database.transaction((transaction) =>
      createAccount(transaction, { name, sender: 'Bench' }),
    );
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
    page: ContactPageWish,
  ): Promise<ContactRowsPage> {
    const request = { rows: { filters: [...filters] }, page };
    return runInContext(newContext({ organisationId }), () =>
      firstValueFrom(this.queues.client.send(queryContactRows, request)),
    );
  }

  /** The milliseconds that the worker has spent on queries so far, its database included. */
  async workedMs(): Promise<number> {
    const text = await (await fetch(this.metrics)).text();
    const sums = text.matchAll(
      /^gangan_queue_handler_seconds_sum\{[^}]*contract="contacts\.query-rows"[^}]*\} (\S+)$/gm,
    );
    return [...sums].reduce((total, [, seconds]) => total + Number(seconds) * 1_000, 0);
  }

  /** What autovacuum does sooner or later. */
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

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    if (this.worker.exitCode === null && this.worker.signalCode === null) {
      const ended = once(this.worker, 'exit');
      this.worker.kill('SIGKILL');
      await ended;
    }
    await this.queues.client.close();
    await this.queues.close();
    await this.database.close();
    await this.postgres.stop();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const yes = (): boolean => true;
const no = (): boolean => false;

const refuse = (): never => {
  throw new Error('The contacts worker does not start');
};
