import { balancesOf, checkLedger } from '@gangan/billing';
import {
  type Channel,
  type DeliveryText,
  type OtpRecord,
  type RequestOtpRequest,
  formatTimestamp,
} from '@gangan/contracts';
import { Database, type DeliveryState, type Limits, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import {
  AppError,
  BatchScope,
  newContext,
  type RequestContext,
  runInContext,
  unavailable,
} from '@gangan/protocol';
import { Retention } from '@gangan/leases';
import { QueueClient } from '@gangan/queue';
import { AppLogger, Registry, RuntimeConfig } from '@gangan/runtime';
import { deriveDataKeys, masterSealer, NamedKeys } from '@gangan/sealing';
import {
  anOrganisation,
  configFor,
  createTestDatabase,
  createTestModule,
  type TestDatabase,
  uniqueBytes,
  valueFor,
} from '@gangan/testing';
import { expect } from '@jest/globals';
import { OrganisationRulesCache } from '../../src/organisation-rules.js';
import { OtpConfig } from '../../src/otp.config.js';
import { OtpModule } from '../../src/otp.module.js';
import { OtpService } from '../../src/otp.service.js';
import { DeliveryAnnouncer } from '../../src/sends/delivery-announcer.js';
import { OtpRoutes } from '../../src/sends/otp-routes.js';
import { RequestService } from '../../src/request/request.service.js';
import { ShorterRetention } from '../../src/retention/shorter-retention.js';
import { FallbackService } from '../../src/sends/fallback.service.js';
import { ResendService } from '../../src/sends/resend.service.js';
import { VerifyService } from '../../src/verify/verify.service.js';

export const newKey = (): string => uniqueBytes(32).toString('base64');

const silent = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  fatal: () => undefined,
};

const off: Partial<Limits> = {
  otpSendsPerRecipient: 0,
  otpSendsPerPrefix: 0,
  otpTriesPerRecipient: 0,
  otpDailyTriesPerRecipient: 0,
  otpDailySpendKobo: 0n,
  dailySpendKobo: 0n,
};

/** An otp worker without its queue. */
export interface Worker {
  readonly routes: OtpRoutes;
  readonly requests: RequestService;
  readonly verifications: VerifyService;
  readonly service: OtpService;
  readonly resends: ResendService;
  readonly fallbacks: FallbackService;
  readonly retention: Pick<Retention, 'prune'>;
  readonly metrics: Registry;
}

export interface StoredDelivery {
  readonly id: string;
  readonly channel: string;
  readonly organisationId: string;
  readonly otpId: string;
  readonly lane: string;
  readonly state: string;
  readonly recipient: string;
  readonly pages: number;
  readonly kobo: bigint;
  readonly sealedBody: Buffer;
}

/** The result of a request. */
export type Answer = OtpRecord | AppError;

/** A real database with organisations and otp workers. */
export class TestOtp {
  readonly announced: string[] = [];
  private readonly pepper = newKey();
  private readonly dataKey = newKey();
  private readonly sealer = masterSealer([this.dataKey]);

  private constructor(
    private readonly postgres: TestDatabase,
    readonly database: Database,
  ) {}

  static async open(poolSize = 10): Promise<TestOtp> {
    const postgres = await createTestDatabase(migrate);
    return new TestOtp(postgres, new Database({ url: postgres.url, poolSize }));
  }

  /** @param failingReads whether the rules of organisations cannot be read */
  async worker(
    settings: Partial<OtpConfig> = {},
    SIMULATE_LIVE = false,
    { failingReads = false } = {},
  ): Promise<Worker> {
    const keys = {
      OTP_PEPPER: [this.pepper],
      DATA_KEYS: NamedKeys.parse(deriveDataKeys([this.dataKey], 'otp')) as NamedKeys,
    };
    const module = await createTestModule(OtpModule, [
      valueFor(Database, this.database),
      configFor(OtpConfig, { ...keys, ...settings }),
      valueFor(RuntimeConfig, new RuntimeConfig({ NODE_ENV: 'test', SIMULATE_LIVE })),
      valueFor(AppLogger, silent),
      valueFor(Registry, new Registry()),
      valueFor(QueueClient, {}),
      valueFor(DeliveryAnnouncer, {
        announce: ({ operationId }: RequestContext, id?: string) =>
          void this.announced.push(id ?? operationId),
      }),
      ...(failingReads
        ? [valueFor(OrganisationRulesCache, { get: () => Promise.reject(unavailable()) })]
        : []),
    ]);
    const [retention, shorter] = [module.get(Retention), module.get(ShorterRetention)];
    return {
      routes: module.get(OtpRoutes),
      requests: module.get(RequestService),
      verifications: module.get(VerifyService),
      service: module.get(OtpService),
      resends: module.get(ResendService),
      fallbacks: module.get(FallbackService),
      retention: { prune: async () => (await retention.prune()) || shorter.prune() },
      metrics: module.get(Registry),
    };
  }

  /** Without limits by default. */
  async organisation(
    limits: Partial<Limits> = {},
    otp: object | null = {},
    kobo = 100_000_000n,
    mode: 'live' | 'test' = 'test',
  ): Promise<string> {
    const columns = { settings: { otp }, ...off, ...limits };
    return (await anOrganisation(this.database, { mode, balanceKobo: kobo, ...columns })).id;
  }

  request(
    worker: Worker,
    organisationId: string,
    input: Partial<RequestOtpRequest> = {},
    context: RequestContext = newContext({ organisationId }),
  ): Promise<Answer> {
    return answered(worker.requests.request({ recipient: '08031234567', ...input }, context));
  }

  /** Requests an OTP and returns its id. */
  async otp(worker: Worker, organisationId: string, input: Partial<RequestOtpRequest> = {}): Promise<string> {
    const answer = await this.request(worker, organisationId, input);
    if (answer instanceof AppError) throw answer;
    return answer.id;
  }

  verify(
    worker: Worker,
    organisationId: string,
    id: string,
    token: string,
    context: RequestContext = newContext({ organisationId }),
  ): Promise<Answer> {
    return answered(worker.verifications.verify({ id, token }, context));
  }

  resend(
    worker: Worker,
    organisationId: string,
    id: string,
    channel?: Channel,
    context: RequestContext = newContext({ organisationId }),
  ): Promise<Answer> {
    return answered(worker.resends.resend({ id, ...(channel && { channel }) }, context));
  }

  /** Runs the members of one batch as the queue does. */
  runBatch<T>(
    contexts: readonly RequestContext[],
    run: (context: RequestContext, index: number) => Promise<T>,
  ): Promise<T[]> {
    const batch = new BatchScope(contexts.length);
    return Promise.all(
      contexts.map((context, index) =>
        runInContext(
          context,
          () =>
            run(context, index).finally(() => {
              batch.memberFinished();
            }),
          batch,
        ),
      ),
    );
  }

  contexts(organisationId: string, count: number): RequestContext[] {
    return Array.from({ length: count }, () => newContext({ organisationId }));
  }

  /** The first delivery of an OTP. */
  async delivery(otpId: string): Promise<StoredDelivery | undefined> {
    return (await this.deliveries(otpId))[0];
  }

  /** Oldest first. */
  deliveries(otpId: string): Promise<StoredDelivery[]> {
    return this.database.query<StoredDelivery>(sql`
      SELECT id, channel, organisation_id AS "organisationId", otp_id AS "otpId", lane, state, recipient, pages,
        charge_kobo AS kobo, sealed_body AS "sealedBody"
      FROM delivery WHERE otp_id = ${otpId} ORDER BY id <> otp_id, created_at, id`);
  }

  /** The text for the carrier. */
  async text(otpId: string, send = 0): Promise<DeliveryText> {
    const delivery = (await this.deliveries(otpId))[send];
    if (!delivery) throw new Error('There is no such delivery');
    const { organisationId, sealedBody, id } = delivery;
    const place = { column: 'delivery.sealed_body', organisationId, id } as const;
    return JSON.parse(this.sealer.open(sealedBody, place)) as DeliveryText;
  }

  /** Moves the OTPs of an organisation into the past. */
  async passTime(organisationId: string, minutes: number): Promise<void> {
    const past = sql`${minutes}::float8 * interval '1 minute'`;
    await this.database.execute(sql`
      UPDATE otp SET created_at = created_at - ${past}, placed_at = placed_at - ${past}, expires_at = expires_at - ${past},
        due_at = due_at - ${past}
      WHERE organisation_id = ${organisationId}`);
    await this.database.execute(sql`
      UPDATE delivery SET updated_at = updated_at - ${past}, created_at = created_at - ${past}
      WHERE organisation_id = ${organisationId}`);
    await this.database.execute(sql`
      UPDATE otp_verification SET created_at = created_at - ${past} WHERE organisation_id = ${organisationId}`);
  }

  /** Ends the open deliveries of an OTP like messaging, without their events. */
  async endDelivery(otpId: string, state: DeliveryState = 'failed'): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.execute(sql`
        UPDATE delivery SET state = ${state}::delivery_state, next_attempt_at = NULL, sealed_body = NULL,
          updated_at = now()
        WHERE otp_id = ${otpId} AND updated_at IS NULL`);
      if (state !== 'delivered')
        await transaction.execute(sql`UPDATE otp SET due_at = now() WHERE id = ${otpId} AND status = 1`);
    });
  }

  /** Whether the token of an OTP is stored. */
  async hasToken(id: string): Promise<boolean> {
    const [row] = await this.database.query<{ has: boolean }>(
      sql`SELECT sealed_token IS NOT NULL AS has FROM otp WHERE id = ${id}`,
    );
    return row?.has ?? false;
  }

  async expiryOf(id: string): Promise<string> {
    const [row] = await this.database.query<{ at: Date }>(
      sql`SELECT expires_at AS at FROM otp WHERE id = ${id}`,
    );
    return row ? formatTimestamp(row.at) : 'never';
  }

  async count(table: 'otp' | 'delivery', organisationId: string): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      table === 'otp'
        ? sql`SELECT count(*)::int AS count FROM otp WHERE organisation_id = ${organisationId}`
        : sql`SELECT count(*)::int AS count FROM delivery WHERE organisation_id = ${organisationId}`,
    );
    return row?.count ?? 0;
  }

  async available(organisationId: string): Promise<bigint> {
    return (await balancesOf(this.database, organisationId)).available;
  }

  async expectSoundLedger(): Promise<void> {
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}

const answered = (asked: Promise<OtpRecord>): Promise<Answer> =>
  asked.catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });

/** `200`, or the status and type of a refusal. */
export const kindOf = (answer: Answer): string =>
  answer instanceof AppError ? `${answer.status} ${answer.code}` : '200';

/** How often each kind of answer came. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of answers.map(kindOf)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
