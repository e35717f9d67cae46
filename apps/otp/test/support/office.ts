import { randomBytes } from 'node:crypto';
import { checkLedger, balancesOf, Prices } from '@gangan/billing';
import {
  type DeliveryText,
  type OtpRecord,
  type RequestOtpRequest,
  formatTimestamp,
} from '@gangan/contracts';
import { Database, type DeliveryState, type Limits, migrate, sql } from '@gangan/database';
import { AppError, BatchScope, newContext, type RequestContext, runInContext } from '@gangan/protocol';
import { Registry, RuntimeConfig } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { anOrganisation, startPostgres, type TestPostgres } from '@gangan/testing';
import { expect } from '@jest/globals';
import { RulesOfOrganisations } from '../../src/organisation-rules.js';
import { OtpConfig } from '../../src/otp.config.js';
import { OtpMetrics } from '../../src/otp-metrics.js';
import { OtpRepository } from '../../src/otp.repository.js';
import { OtpService } from '../../src/otp.service.js';
import { Carriers } from '../../src/requesting/carriers.js';
import type { DueAnnouncer } from '../../src/requesting/due-announcer.js';
import { RequestingService } from '../../src/requesting/requesting.service.js';
import { RequestsRepository } from '../../src/requesting/requests.repository.js';
import { TokenDigests } from '../../src/token-digests.js';
import { Pruner } from '../../src/upkeep/pruner.js';
import { VerificationRepository } from '../../src/verifying/verification.repository.js';
import { VerifyingService } from '../../src/verifying/verifying.service.js';

export const newKey = (): string => randomBytes(32).toString('base64');

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
  otpDailySpendKobo: 0n,
};

/** One otp worker without its queue. */
export interface Worker {
  readonly requesting: RequestingService;
  readonly verifying: VerifyingService;
  readonly service: OtpService;
  readonly pruner: Pruner;
  readonly metrics: Registry;
}

export interface StoredDelivery {
  readonly otpId: string;
  readonly lane: string;
  readonly state: string;
  readonly recipient: string;
  readonly pages: number;
  readonly kobo: bigint;
  readonly sealedBody: Buffer;
}

/** How a request was answered: the record, or the refusal. */
export type Answer = OtpRecord | AppError;

/** A real database with organisations that have money, and otp workers on it. */
export class Office {
  readonly announced: string[] = [];
  private readonly queueKey = newKey();
  private readonly pepper = newKey();
  private readonly sealer = new TextSealer([this.queueKey]);

  private constructor(
    private readonly postgres: TestPostgres,
    readonly database: Database,
  ) {}

  static async open(poolSize = 10): Promise<Office> {
    const postgres = await startPostgres({ deadlock_timeout: '20ms' });
    await migrate(postgres.url);
    return new Office(postgres, new Database({ url: postgres.url, poolSize }));
  }

  worker(settings: Partial<OtpConfig> = {}, NODE_ENV: 'test' | 'production' = 'test'): Worker {
    const { database, announced } = this;
    const defaults = Object.fromEntries(
      Object.entries(OtpConfig.variables).map(([name, { default: value }]) => [name, value]),
    );
    const config = new OtpConfig({ ...defaults, OTP_PEPPER: [this.pepper], ...settings });
    const metrics = new Registry();
    const otpMetrics = new OtpMetrics(metrics);
    const rules = new RulesOfOrganisations(database, config, silent);
    const digests = new TokenDigests(config);
    const otps = new OtpRepository(database);
    const announcer = {
      announce: ({ operationId }: RequestContext) => void announced.push(operationId),
    };
    return {
      requesting: new RequestingService(
        new RequestsRepository(database),
        otps,
        rules,
        new Carriers(new RuntimeConfig({ NODE_ENV })),
        new Prices(database),
        digests,
        this.sealer,
        announcer as DueAnnouncer,
        otpMetrics,
        config,
      ),
      verifying: new VerifyingService(new VerificationRepository(database), rules, digests, otpMetrics),
      service: new OtpService(otps, config),
      pruner: new Pruner(database, config),
      metrics,
    };
  }

  /** With all caps off unless `limits` says otherwise. */
  async organisation(
    limits: Partial<Limits> = {},
    otp: object | null = {},
    kobo = 100_000_000n,
    mode: 'live' | 'test' = 'test',
  ): Promise<string> {
    return (
      await anOrganisation(this.database, { mode, balanceKobo: kobo, settings: { otp }, ...off, ...limits })
    ).id;
  }

  request(
    worker: Worker,
    organisationId: string,
    wish: Partial<RequestOtpRequest> = {},
    context: RequestContext = newContext({ organisationId }),
  ): Promise<Answer> {
    return answered(worker.requesting.request({ recipient: '08031234567', ...wish }, context));
  }

  /** Asks for one, which must be granted, and gives its id. */
  async otp(worker: Worker, organisationId: string, wish: Partial<RequestOtpRequest> = {}): Promise<string> {
    const answer = await this.request(worker, organisationId, wish);
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
    return answered(worker.verifying.verify({ id, token }, context));
  }

  /** As the queue runs the members of one batch. */
  together<T>(
    contexts: readonly RequestContext[],
    run: (context: RequestContext, place: number) => Promise<T>,
  ): Promise<T[]> {
    const batch = new BatchScope(contexts.length);
    return Promise.all(
      contexts.map((context, place) =>
        runInContext(
          context,
          () =>
            run(context, place).finally(() => {
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

  async delivery(otpId: string): Promise<StoredDelivery | undefined> {
    const [row] = await this.database.query<StoredDelivery>(sql`
      SELECT otp_id AS "otpId", lane, state, recipient, pages, charge_kobo AS kobo, sealed_body AS "sealedBody"
      FROM delivery WHERE id = ${otpId}`);
    return row;
  }

  /** What the carrier would be given. */
  async text(otpId: string): Promise<DeliveryText> {
    const delivery = await this.delivery(otpId);
    if (!delivery) throw new Error('There is no such delivery');
    return JSON.parse(this.sealer.open(delivery.sealedBody, otpId)) as DeliveryText;
  }

  /** Lets time pass for what an organisation has done. */
  async pass(organisationId: string, minutes: number): Promise<void> {
    const past = sql`${minutes}::float8 * interval '1 minute'`;
    await this.database.execute(sql`
      UPDATE otp SET created_at = created_at - ${past}, placed_at = placed_at - ${past}, expires_at = expires_at - ${past}
      WHERE organisation_id = ${organisationId}`);
    await this.database.execute(sql`
      UPDATE delivery SET updated_at = updated_at - ${past} WHERE organisation_id = ${organisationId}`);
    await this.database.execute(sql`
      UPDATE otp_verification SET created_at = created_at - ${past} WHERE organisation_id = ${organisationId}`);
  }

  /** Ends a delivery as messaging does, whose event is lost. */
  async endDelivery(id: string, state: DeliveryState = 'failed'): Promise<void> {
    await this.database.execute(sql`
      UPDATE delivery SET state = ${state}::delivery_state, next_attempt_at = NULL, sealed_body = NULL, updated_at = now()
      WHERE id = ${id} AND updated_at IS NULL`);
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
    await this.postgres.stop();
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
