import { setTimeout as sleep } from 'node:timers/promises';
import { type SendSmsRequest, sendSmsContractFor } from '@gangan/contracts';
import { Database, migrate, sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { migrateQueue, newQueueKey, type QueueConnection, Queues } from '@gangan/queue';
import { anOrganisation, createTestDatabase, type TestDatabase, until, WorkerProcess } from '@gangan/testing';
import { firstValueFrom } from 'rxjs';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** With the pauses, a minute and more. */
const maxAttempts = 300;

const startWorker = (environment: Readonly<Record<string, string>>): WorkerProcess =>
  new WorkerProcess('messaging', environment);

/** A database, an organisation with money, and two messaging worker processes, on either queue backend. */
export class RunningWorkers {
  private readonly workers: WorkerProcess[] = [];
  private contacts: WorkerProcess | undefined;

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
    readonly queues: Queues,
    readonly organisationId: string,
    readonly environment: Readonly<Record<string, string>>,
  ) {}

  static async open(
    start: bigint,
    redisUrl: string | undefined,
    mode: 'live' | 'test' = 'test',
  ): Promise<RunningWorkers> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    const database = new Database({ url: postgres.url, poolSize: 4 });
    const { id: organisationId } = await anOrganisation(database, { balanceKobo: start, mode });
    const key = newQueueKey();
    const connection: QueueConnection =
      redisUrl === undefined
        ? { kind: 'postgres', url: postgres.url, poolSize: 4 }
        : { kind: 'redis', url: redisUrl };
    const queues = await Queues.open({ connection, keys: [key] }, 'producer', quiet);
    const fixture = new RunningWorkers(postgres, database, queues, organisationId, {
      DATABASE_URL: postgres.url,
      QUEUE_KEY: key,
      DATA_KEY: newQueueKey(),
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      DELIVERY_RETRY_AFTER: '500ms,1s,2s,4s,8s',
      DELIVERY_OTP_RETRY_AFTER: '500ms,1s,2s,4s,8s',
    });
    fixture.workers.push(startWorker(fixture.environment), startWorker(fixture.environment));
    try {
      for (const worker of fixture.workers) await worker.untilReady();
    } catch (error) {
      await fixture.close();
      throw error;
    }
    return fixture;
  }

  /** Starts a worker for contacts, which is not killed. */
  async startContacts(): Promise<void> {
    this.contacts = new WorkerProcess('contacts', this.environment);
    await this.contacts.untilReady();
  }

  /** Sends a request again until it has a response. @returns the message's id */
  async send(recipients: string | undefined, fields: Partial<SendSmsRequest> = {}): Promise<string> {
    const context = newContext({ organisationId: this.organisationId });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const request = { content: 'Hello', ...(recipients !== undefined && { recipients }), ...fields };
        const contract = sendSmsContractFor(request);
        return (await firstValueFrom(this.queues.client.send(contract, request, context))).id;
      } catch (error) {
        if ((error as { status?: number }).status !== 503 || attempt === maxAttempts) throw error;
        await sleep(200);
      }
    }
  }

  async killAndReplace(index: number): Promise<void> {
    await this.workers[index % 2]?.untilReady();
    await this.workers[index % 2]?.kill();
    this.workers[index % 2] = startWorker(this.environment);
  }

  async killAll(): Promise<void> {
    for (const worker of this.workers) await worker.kill();
  }

  async startAgain(): Promise<void> {
    for (const index of this.workers.keys()) this.workers[index] = startWorker(this.environment);
    for (const worker of this.workers) await worker.untilReady();
  }

  /** How many deliveries have not ended. */
  async unfinished(): Promise<number> {
    const rows = await this.database.query(
      sql`SELECT FROM delivery WHERE state IN ('queued', 'submitting', 'sent')`,
    );
    return rows.length;
  }

  async untilEnded(): Promise<void> {
    await until('all deliveries are finished', async () => (await this.unfinished()) === 0);
  }

  /** Stops a worker as a debugger or a suspended machine does. @returns a function that continues it */
  stop(index: number): () => void {
    const pid = this.workers[index]?.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    return () => process.kill(pid, 'SIGCONT');
  }

  /** Until each worker has written a heartbeat under an id that is not one of these. @returns the ids */
  async untilRegistered(count: number, except: readonly bigint[] = []): Promise<bigint[]> {
    const find = () =>
      this.database.query<{ id: bigint }>(sql`
        SELECT id FROM lease_holder WHERE heartbeat_at > now() - interval '5 seconds' ORDER BY id`);
    const rows = await until('all workers write heartbeats', async () => {
      const found = (await find()).filter(({ id }) => !except.includes(id));
      return found.length === count && found;
    });
    return rows.map(({ id }) => id);
  }

  /** How often workers that still run have taken over the leases of others. */
  takeovers(): number {
    return this.workers.reduce(
      (sum, { output }) => sum + output.split('its leases were taken over').length - 1,
      0,
    );
  }

  /** Longer than a process may be silent. */
  async interruptDatabase(): Promise<void> {
    await this.postgres.kill();
    await sleep(14_000);
    await this.postgres.restart();
  }

  /** How often the simulator took each delivery. */
  async taken(): Promise<number[]> {
    const rows = await this.database.query<{ times: number }>(sql`
      SELECT count(*)::int AS times FROM simulated_message WHERE outcome <> 'lost' GROUP BY reference`);
    return rows.map(({ times }) => times);
  }

  async counts(): Promise<Record<string, number>> {
    const rows = await this.database.query<{ state: string; count: number }>(
      sql`SELECT state, count(*)::int AS count FROM delivery GROUP BY state`,
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  async close(): Promise<void> {
    await this.killAll();
    await this.contacts?.kill();
    await this.queues.client.close();
    await this.queues.close();
    await this.database.close();
    await this.postgres.drop();
  }
}
