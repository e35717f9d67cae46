import { balancesOf, checkLedger } from '@gangan/billing';
import type { SendSmsRequest, SmsMessage } from '@gangan/contracts';
import { Database, type OrganisationMode, sql } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { LeaseHolder } from '@gangan/leases';
import { BatchScope, newContext, type RequestContext, runInContext } from '@gangan/protocol';
import {
  anOrganisation,
  aPayment,
  aTemplate,
  createTestDatabase,
  type TestDatabase,
  type TestingModule,
  valueFor,
} from '@gangan/testing';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { AudienceRepository } from '../../src/audience/audience.repository.js';
import { AudienceService } from '../../src/audience/audience.service.js';
import { SmartlistReader } from '../../src/audience/smartlist-reader.js';
import { EstimatesService } from '../../src/estimates/estimates.service.js';
import { MessagesService } from '../../src/messages/messages.service.js';
import { InsertClaims } from '../../src/schedule/claim-on-insert/insert-claims.js';
import { type Announcement, DeliveryAnnouncer } from '../../src/schedule/delivery-announcer.js';
import { createMessaging } from './messaging-module.js';
import { ScriptedSmartlist } from './scripted-smartlist.js';

export interface OrganisationOptions {
  readonly kobo?: bigint;
  readonly mode?: OrganisationMode;
  /** The only senders it may use, apart from its default one. */
  readonly senders?: readonly string[];
  /** Of a live one. */
  readonly hasPrices?: boolean;
  readonly settings?: object;
}

export interface TemplateOptions {
  readonly body: string;
  readonly channel?: 'sms' | 'whatsapp';
  readonly providerName?: string;
  readonly language?: string;
  readonly variables?: readonly string[];
}

export interface ServiceOptions {
  readonly SIMULATE_LIVE?: boolean;
  readonly SEAL_MESSAGES?: boolean;
  readonly database?: Database;
}

export interface Expander {
  readonly service: AudienceService;
  readonly repository: AudienceRepository;
  readonly holder: LeaseHolder;
}

export interface SharedWorker extends Expander {
  readonly messages: MessagesService;
  /** Prices messages and stores nothing. */
  readonly estimates: EstimatesService;
}

const expanderOf = (module: TestingModule): Expander => ({
  service: module.get(AudienceService),
  repository: module.get(AudienceRepository),
  holder: module.get(LeaseHolder),
});

/** A database with organisations and the service that accepts messages. Nothing is delivered. */
export class SendingFixture {
  readonly announced: Announcement[] = [];
  readonly smartlist = new ScriptedSmartlist();

  database!: Database;
  private postgres!: TestDatabase;
  private sharedModule: Promise<TestingModule> | undefined;

  private constructor() {}

  /** Open while the tests of the surrounding `describe` run. */
  static use(): SendingFixture {
    const fixture = new SendingFixture();
    beforeAll(() => fixture.open());
    afterAll(() => fixture.close());
    return fixture;
  }

  private async open(): Promise<void> {
    this.postgres = await createTestDatabase(migrate);
    this.database = new Database({ url: this.postgres.url, poolSize: 10 });
  }

  get url(): string {
    return this.postgres.url;
  }

  /** The providers of a worker. */
  private module({
    SIMULATE_LIVE = true,
    database = this.database,
    ...config
  }: ServiceOptions): Promise<TestingModule> {
    return createMessaging(database, {
      runtime: { SIMULATE_LIVE },
      config: { DELIVERY_PROVIDER_TIMEOUT_MS: 10_000, ...config },
      values: [
        valueFor(InsertClaims, { claim: () => undefined }),
        valueFor(DeliveryAnnouncer, {
          announce: (announcement) => Promise.resolve(void this.announced.push(announcement)),
        }),
        valueFor(SmartlistReader, this.smartlist),
      ],
    });
  }

  /** The service of a worker. */
  async service(options: ServiceOptions = {}): Promise<MessagesService> {
    return (await this.module(options)).get(MessagesService);
  }

  /** The service that expands smartlists. */
  async expander(options: ServiceOptions = {}): Promise<Expander> {
    return expanderOf(await this.module(options));
  }

  /** One worker for many calls. It is replaced when a price changes, because it has read the prices into memory. */
  async shared(): Promise<SharedWorker> {
    const module = await this.openShared();
    const services = { messages: module.get(MessagesService), estimates: module.get(EstimatesService) };
    return { ...services, ...expanderOf(module) };
  }

  /** Any other provider of the shared worker. */
  async get<T>(type: Type<T>): Promise<T> {
    return (await this.openShared()).get(type);
  }

  private openShared(): Promise<TestingModule> {
    return (this.sharedModule ??= this.module({}));
  }

  async organisation({
    kobo = 100_000_000n,
    mode = 'test',
    senders,
    ...columns
  }: OrganisationOptions = {}): Promise<string> {
    const options = {
      ...{ mode, balanceKobo: kobo, defaultSender: 'Usual' },
      ...(senders && { senders }),
      ...columns,
    };
    return (await anOrganisation(this.database, options)).id;
  }

  template(organisationId: string, options: TemplateOptions): Promise<string> {
    return aTemplate(this.database, organisationId, { ...options });
  }

  async price(service: 'sms' | 'whatsapp', prefix: string, kobo: bigint): Promise<void> {
    await this.database.execute(sql`
      INSERT INTO price (service, prefix, kobo) VALUES (${service}, ${prefix}, ${kobo})
      ON CONFLICT (service, category, prefix) DO UPDATE SET kobo = excluded.kobo`);
    this.sharedModule = undefined;
  }

  /** Reads the rules and prices of an organisation into memory, with a request that is invalid. */
  async warmUp(service: MessagesService, organisationId: string): Promise<void> {
    const invalid = service.send({ recipients: '', content: 'x' }, this.contextOf(organisationId));
    await expect(invalid).rejects.toMatchObject({ status: 400 });
  }

  /** Runs the members of one batch as the queue does: the plain ones together, each other one alone. */
  async sendTogether(
    service: MessagesService,
    members: readonly { readonly request: SendSmsRequest; readonly context: RequestContext }[],
  ): Promise<PromiseSettledResult<SmsMessage>[]> {
    const given = members.map(({ request, context }) => ({ data: request, context }));
    const results = new Map<object, PromiseSettledResult<SmsMessage>>();
    const sendEach = async (some: typeof given): Promise<void> => {
      const answers = await this.sendEach(service, some);
      for (const [index, answer] of answers.entries()) results.set(some[index] as object, answer);
    };
    const taken = service.takePlain(given);
    await Promise.all([
      sendEach(given.filter((member) => !taken.members.includes(member))),
      taken.replies
        .catch(() => [])
        .then((replies) => {
          for (const [index, member] of taken.members.entries()) {
            const reply = replies[index];
            if (reply instanceof Error) results.set(member, { status: 'rejected', reason: reply });
            else if (reply) results.set(member, { status: 'fulfilled', value: reply });
          }
          return sendEach(given.filter((member) => taken.members.includes(member) && !results.has(member)));
        }),
    ]);
    return given.map((member) => results.get(member) as PromiseSettledResult<SmsMessage>);
  }

  private sendEach(
    service: MessagesService,
    members: readonly { readonly data: SendSmsRequest; readonly context: RequestContext }[],
  ): Promise<PromiseSettledResult<SmsMessage>[]> {
    const batch = new BatchScope(members.length);
    return Promise.allSettled(
      members.map(({ data, context }) =>
        runInContext(
          context,
          () =>
            service.send(data, context).finally(() => {
              batch.memberFinished();
            }),
          batch,
        ),
      ),
    );
  }

  contextOf(organisationId: string): RequestContext {
    return newContext({ organisationId });
  }

  /** How much of everything there is that belongs to a message. */
  async traces(messageId: string): Promise<{ messages: number; deliveries: number; charges: number }> {
    const [row] = await this.database.query<{ messages: number; deliveries: number; charges: number }>(sql`
      SELECT (SELECT count(*)::int FROM message WHERE id = ${messageId}) AS messages,
        (SELECT count(*)::int FROM delivery WHERE message_id = ${messageId}) AS deliveries,
        (SELECT count(*)::int FROM ledger_movement WHERE subject_id = ${messageId}) AS charges`);
    return row ?? { messages: 0, deliveries: 0, charges: 0 };
  }

  async fund(organisationId: string, kobo: bigint): Promise<void> {
    await aPayment(this.database, organisationId, kobo);
  }

  async available(organisationId: string): Promise<bigint> {
    return (await balancesOf(this.database, organisationId)).available;
  }

  async expectCleanLedger(): Promise<void> {
    expect(await checkLedger(this.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }

  private async close(): Promise<void> {
    await this.database.close();
    await this.postgres.drop();
  }
}
