import { recordCallbacks } from '@gangan/callbacks';
import type { AirtimeCallback } from '@gangan/contracts';
import { Database, openCallbackSecret, rotateCallbackSecret, sql, type SqlRunner } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { dueNow } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger, PeriodicTasksModule, Registry, RuntimeConfig } from '@gangan/runtime';
import { deriveDataKeys, masterSealer, NamedKeys, newSealingKey } from '@gangan/sealing';
import {
  anOrganisation,
  configFor,
  createTestDatabase,
  createTestModule,
  type TestDatabase,
  type TestingModule,
  valueFor,
} from '@gangan/testing';
import { type INestApplicationContext, Module } from '@nestjs/common';
import { CallbackConfig } from '../../src/callback.config.js';
import { CallbackModule } from '../../src/callback.module.js';
import { DueCallbacks } from '../../src/dispatch/due-callbacks.js';
import { TestLog } from './test-log.js';

export interface Stored {
  readonly state: string;
  readonly attempt: number;
  readonly leased: boolean;
  /** From the last attempt to the next; `null` if there is none. */
  readonly inSeconds: number | null;
}

export interface StoredAttempt {
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly answerBytes: number | null;
}

/** A worker with its periodic tasks. */
@Module({ imports: [PeriodicTasksModule, CallbackModule] })
class WorkerModule {}

/** A real database with organisations, and callback workers that get their events from a test. */
export class TestCallbacks {
  readonly dataKey = newSealingKey();
  readonly sealer = masterSealer([this.dataKey]);
  readonly log = new TestLog();
  readonly metrics: Registry[] = [];
  private readonly workers: TestingModule[] = [];

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
  ) {}

  static async open(): Promise<TestCallbacks> {
    const postgres = await createTestDatabase(migrate);
    return new TestCallbacks(
      postgres,
      new Database({ url: postgres.url, poolSize: 4, connectionTimeoutMs: 30_000 }),
    );
  }

  get url(): string {
    return this.postgres.url;
  }

  /** The providers of a worker. Nothing runs until a test calls it. */
  module(
    database = this.database,
    config: Partial<CallbackConfig> = {},
    NODE_ENV: RuntimeConfig['NODE_ENV'] = 'test',
  ): Promise<TestingModule> {
    return createTestModule(WorkerModule, [
      valueFor(Database, database),
      configFor(CallbackConfig, {
        DATA_KEYS: NamedKeys.parse(deriveDataKeys([this.dataKey], 'callback')) as NamedKeys,
        CALLBACK_ALLOW_PRIVATE: true,
        ...config,
      }),
      valueFor(RuntimeConfig, new RuntimeConfig({ NODE_ENV })),
      valueFor(AppLogger, this.log),
      // Nothing is announced: the tests call what the events do.
      valueFor(QueueClient, {}),
      valueFor(Registry, new Registry()),
    ]);
  }

  /** Starts a worker with a database connection of its own. */
  async worker(
    config: Partial<CallbackConfig> = {},
    environment?: RuntimeConfig['NODE_ENV'],
  ): Promise<INestApplicationContext> {
    const worker = await this.module(new Database({ url: this.url, poolSize: 4 }), config, environment);
    await worker.init();
    this.metrics.push(worker.get(Registry));
    this.workers.push(worker);
    return worker;
  }

  async endWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.close()));
    this.metrics.splice(0);
    this.log.lines.splice(0);
  }

  async close(): Promise<void> {
    await this.endWorkers();
    await this.database.close();
    await this.postgres.drop();
  }

  async organisation(): Promise<string> {
    const { id } = await anOrganisation(this.database);
    await this.rotateSecret(id, new Date());
    return id;
  }

  async secretsOf(organisationId: string): Promise<string[]> {
    const where = { organisationId };
    const rows = await this.database.callbackSecret.findMany({ where, orderBy: { id: 'asc' } });
    return rows.map((row) => openCallbackSecret(this.sealer, row));
  }

  rotateSecret(organisationId: string, retiresAt: Date, sealer = this.sealer): Promise<string> {
    return this.database.transaction((transaction) =>
      rotateCallbackSecret(transaction, sealer, organisationId, retiresAt),
    );
  }

  /** Stores callbacks to a URL, or else to the endpoints, without announcing them. */
  record(
    organisationId: string,
    url: string | null,
    count = 1,
    transaction: SqlRunner = this.database,
  ): Promise<string[]> {
    const reports = Array.from({ length: count }, () => {
      const id = newId();
      const requestId = `request-of-${id}`;
      return { organisationId, resourceId: id, requestId, url, hasEndpoints: url === null, body: bodyOf(id) };
    });
    return recordCallbacks(transaction, reports);
  }

  /** Does what an event does. */
  announce(worker: INestApplicationContext, ids: readonly string[]): void {
    worker.get(DueCallbacks).add(ids);
  }

  /** Makes callbacks due. */
  async hurry(ids: readonly string[]): Promise<void> {
    await this.database.execute(sql`
      UPDATE callback SET next_attempt_at = ${dueNow}
      WHERE id = ANY (${ids}::uuid[]) AND state = 'pending' AND leased_until IS NULL`);
  }

  async stored(id: string): Promise<Stored> {
    const [row] = await this.database.query<Stored>(sql`
      SELECT state, attempt, leased_until IS NOT NULL AS leased,
        extract(epoch FROM next_attempt_at - coalesce(
          (SELECT max(ended_at) FROM callback_attempt WHERE callback_id = callback.id), now()))::float8 AS "inSeconds"
      FROM callback WHERE id = ${id}`);
    if (!row) throw new Error('There is no such callback');
    return row;
  }

  attemptsOf(id: string): Promise<StoredAttempt[]> {
    return this.database.query<StoredAttempt>(sql`
      SELECT attempt, status::int, error, octet_length(answer) AS "answerBytes" FROM callback_attempt
      WHERE callback_id = ${id} ORDER BY attempt`);
  }
}

const at = '2026-11-15T09:30:00.123000+00:00';

const bodyOf = (id: string): AirtimeCallback => ({
  type: 'airtime.success',
  timestamp: at,
  data: {
    id,
    network: 'MTN',
    amount: 99.5,
    recipient: '08031234567',
    status: 'success',
    refunded: false,
    external_ref: 'größer',
    created_datetime: at,
    updated_datetime: at,
  },
});
