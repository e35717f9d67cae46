import { setTimeout as sleep } from 'node:timers/promises';
import { allContracts, requestOtp, type RequestOtpRequest } from '@gangan/contracts';
import { Database, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newContext } from '@gangan/protocol';
import {
  deriveQueueKeys,
  MasterKeys,
  migrateQueue,
  newQueueKey,
  type QueueConnection,
  Queues,
} from '@gangan/queue';
import { deriveDataKeys } from '@gangan/sealing';
import { anOrganisation, createTestDatabase, type TestDatabase, WorkerProcess } from '@gangan/testing';
import { firstValueFrom } from 'rxjs';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
const noLimits = { otpSendsPerRecipient: 0, otpSendsPerPrefix: 0 };
const apps = ['otp', 'otp', 'messaging'] as const;
/** A caller retries sooner than the gateway, so that a killed worker costs little time. */
const impatient = { ...requestOtp, deadlineMs: 3_000 };
/** With the pauses, a minute and more. */
const maxAttempts = 300;

/** Two otp workers and a messaging worker that can be killed, on either queue backend. */
export class KilledWorkers {
  private readonly workers: WorkerProcess[];

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
    private readonly queues: Queues,
    readonly organisationId: string,
    private readonly environment: Readonly<Record<string, string>>,
  ) {
    this.workers = apps.map((app) => new WorkerProcess(app, environment));
  }

  static async open(balanceKobo: bigint, redisUrl: string | undefined): Promise<KilledWorkers> {
    const postgres = await createTestDatabase(migrate, migrateQueue);
    const database = new Database({ url: postgres.url, poolSize: 4 });
    const { id } = await anOrganisation(database, { balanceKobo, mode: 'test', ...noLimits });
    const key = newQueueKey();
    const connection: QueueConnection =
      redisUrl === undefined
        ? { kind: 'postgres', url: postgres.url, poolSize: 4 }
        : { kind: 'redis', url: redisUrl };
    const queues = await Queues.open(
      { connection, app: 'gateway', keys: new MasterKeys([key]) },
      'producer',
      quiet,
    );
    const fixture = new KilledWorkers(postgres, database, queues, id, {
      DATABASE_URL: postgres.url,
      OTP__QUEUE_KEYS: deriveQueueKeys([key], 'otp', allContracts),
      MESSAGING__QUEUE_KEYS: deriveQueueKeys([key], 'messaging', allContracts),
      OTP__DATA_KEYS: deriveDataKeys([key], 'otp'),
      MESSAGING__DATA_KEYS: deriveDataKeys([key], 'messaging'),
      OTP_PEPPER: newQueueKey(),
      ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
    });
    for (const worker of fixture.workers) await worker.untilReady();
    return fixture;
  }

  /** Requests an OTP by WhatsApp with a fallback to SMS, again until there is a response. @returns its id */
  async request(recipient: string, fallbackAfter: number): Promise<string> {
    const context = newContext({ organisationId: this.organisationId });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const data: RequestOtpRequest = {
          recipient,
          channel: 'whatsapp',
          fallback_channels: ['sms'],
          fallback_after: fallbackAfter,
        };
        return (await firstValueFrom(this.queues.client.send(impatient, data, context))).id;
      } catch (error) {
        if ((error as { status?: number }).status !== 503 || attempt === maxAttempts) throw error;
        await sleep(200);
      }
    }
  }

  async killAndReplace(index: number): Promise<void> {
    const place = index % apps.length;
    await this.workers[place]?.untilReady();
    await this.workers[place]?.kill();
    this.workers[place] = new WorkerProcess(apps[place] ?? 'otp', this.environment);
  }

  /** The channels and states of the deliveries of each OTP, by recipient. */
  async outcomes(): Promise<Record<string, string[]>> {
    const rows = await this.database.query<{ recipient: string; outcome: string }>(sql`
      SELECT otp.recipient, otp.status || ' ' || (
        SELECT string_agg(channel || ' ' || state || CASE WHEN refunded THEN ' refunded' ELSE '' END, ', '
          ORDER BY id <> otp_id, created_at) FROM delivery WHERE otp_id = otp.id) AS outcome
      FROM otp`);
    const outcomes: Record<string, string[]> = {};
    for (const { recipient, outcome } of rows) (outcomes[recipient] ??= []).push(outcome);
    return outcomes;
  }

  /** What the deliveries cost that were not refunded. */
  async spent(): Promise<bigint> {
    const [row] = await this.database.query<{ kobo: bigint }>(
      sql`SELECT coalesce(sum(charge_kobo), 0)::int8 AS kobo FROM delivery WHERE NOT refunded`,
    );
    return row?.kobo ?? 0n;
  }

  async close(): Promise<void> {
    for (const worker of this.workers) await worker.kill();
    await this.queues.client.close();
    await this.queues.close();
    await this.database.close();
    await this.postgres.drop();
  }
}
