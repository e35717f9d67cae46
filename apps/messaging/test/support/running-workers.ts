import { setTimeout as sleep } from 'node:timers/promises';
import { allContracts } from '@gangan/contracts';
import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import {
  deriveQueueKeys,
  MasterKeys,
  migrateQueue,
  newQueueKey,
  type QueueConnection,
  Queues,
} from '@gangan/queue';
import { type DataSealer, deriveDataKeys, masterSealer } from '@gangan/sealing';
import { anOrganisation, createTestDatabase, type TestDatabase, until, WorkerProcess } from '@gangan/testing';
import { SendingOrganisation } from './sending-organisation.js';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface RunningOptions {
  /** Messaging workers. */
  readonly count?: number;
  /** Whether a contacts worker runs too. It is not killed. */
  readonly hasContacts?: boolean;
}

/** A database, and worker processes on either queue backend. */
export class RunningWorkers {
  private readonly workers: WorkerProcess[];
  private readonly contacts: WorkerProcess | undefined;

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
    readonly queues: Queues,
    readonly keys: MasterKeys,
    readonly sealer: DataSealer,
    readonly environment: Readonly<Record<string, string>>,
    { count = 2, hasContacts = false }: RunningOptions,
  ) {
    this.workers = Array.from({ length: count }, () => this.startWorker());
    if (hasContacts) this.contacts = new WorkerProcess('contacts', environment);
  }

  static async open(redisUrl: string | undefined, options: RunningOptions = {}): Promise<RunningWorkers> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    const database = new Database({ url: postgres.url, poolSize: 4 });
    const key = newQueueKey();
    const keys = new MasterKeys([key]);
    const connection: QueueConnection =
      redisUrl === undefined
        ? { kind: 'postgres', url: postgres.url, poolSize: 4 }
        : { kind: 'redis', url: redisUrl };
    const queues = await Queues.open({ connection, app: 'gateway', keys }, 'producer', quiet);
    const environment = {
      DATABASE_URL: postgres.url,
      MESSAGING__QUEUE_KEYS: deriveQueueKeys([key], 'messaging', allContracts),
      CONTACTS__QUEUE_KEYS: deriveQueueKeys([key], 'contacts', allContracts),
      MESSAGING__DATA_KEYS: deriveDataKeys([key], 'messaging'),
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
      DELIVERY_RETRY_AFTER: '500ms,1s,2s,4s,8s',
      DELIVERY_OTP_RETRY_AFTER: '500ms,1s,2s,4s,8s',
      // The lease of a delivery is 5 s longer, which is how long it waits if its worker is killed.
      DELIVERY_PROVIDER_TIMEOUT_MS: '2000',
    };
    const running = new RunningWorkers(
      postgres,
      database,
      queues,
      keys,
      masterSealer([key]),
      environment,
      options,
    );
    try {
      await running.untilReady();
    } catch (error) {
      await running.close();
      throw error;
    }
    return running;
  }

  private startWorker(): WorkerProcess {
    return new WorkerProcess('messaging', this.environment);
  }

  private async untilReady(): Promise<void> {
    for (const worker of this.workers) await worker.untilReady();
    await this.contacts?.untilReady();
  }

  /** An organisation with money. */
  async organisation(balanceKobo: bigint, mode: 'live' | 'test' = 'test'): Promise<SendingOrganisation> {
    const { id } = await anOrganisation(this.database, { balanceKobo, mode });
    return new SendingOrganisation(this.database, this.queues.client, id);
  }

  /** Until the worker is ready that `killAndReplace` kills. */
  async untilReadyToKill(index: number): Promise<void> {
    await this.workers[index % this.workers.length]?.untilReady();
  }

  async killAndReplace(index: number): Promise<void> {
    const place = index % this.workers.length;
    await this.workers[place]?.untilReady();
    await this.workers[place]?.kill();
    this.workers[place] = this.startWorker();
  }

  /** Kills the worker that holds a delivery to this recipient, and starts another one. */
  async killHolder(recipient: string): Promise<void> {
    const [holder] = await this.database.query<{ pid: number }>(sql`
      SELECT pid FROM lease_holder WHERE id = (SELECT lease_holder FROM delivery WHERE recipient = ${recipient})`);
    const place = this.workers.findIndex(({ pid }) => pid === holder?.pid);
    await this.workers[place]?.kill();
    this.workers[place] = this.startWorker();
  }

  async killAll(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill()));
  }

  async startAgain(): Promise<void> {
    for (const index of this.workers.keys()) this.workers[index] = this.startWorker();
    await this.untilReady();
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

  async close(): Promise<void> {
    await this.killAll();
    await this.contacts?.kill();
    await this.queues.client.close();
    await this.queues.close();
    await this.database.close();
    await this.postgres.drop();
  }
}
