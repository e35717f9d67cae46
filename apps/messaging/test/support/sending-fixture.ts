import { CallbackQuota } from '@gangan/callbacks';
import { balancesOf, checkLedger, Prices, topUp } from '@gangan/billing';
import { deliveryEvents, type SendSmsRequest, type SmsMessage } from '@gangan/contracts';
import { Database, migrate, type OrganisationMode, sql } from '@gangan/database';
import { type Announcer, LeaseHolder } from '@gangan/leases';
import { BatchScope, newContext, newId, type RequestContext, runInContext } from '@gangan/protocol';
import { type AppLogger, RuntimeConfig } from '@gangan/runtime';
import { anOrganisation, aTemplate, createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { MessagingConfig } from '../../src/messaging.config.js';
import type { Announcement, DeliveryAnnouncer } from '../../src/schedule/delivery-announcer.js';
import type { InsertClaims } from '../../src/schedule/claim-on-insert/insert-claims.js';
import { AudienceRepository } from '../../src/audience/audience.repository.js';
import { AudienceService } from '../../src/audience/audience.service.js';
import { SmartlistPricing } from '../../src/audience/smartlist-pricing.js';
import type { SmartlistReader } from '../../src/audience/smartlist-reader.js';
import { MessageTexts } from '../../src/text/message-text.js';
import { EstimatesService } from '../../src/estimates/estimates.service.js';
import { MessagesRepository } from '../../src/messages/messages.repository.js';
import { InboxRepository } from '../../src/inbox/inbox.repository.js';
import { MessagesService } from '../../src/messages/messages.service.js';
import { RetryPolicies } from '../../src/outcome/retry-policy.js';
import type { ProviderFactory } from '../../src/providers/provider-factory.js';
import { Providers } from '../../src/providers/providers.js';
import type { OutboxRepository } from '../../src/outbox/outbox.repository.js';
import { Simulator } from '../../src/providers/simulator.js';
import { DeliveriesRepository } from '../../src/messages/deliveries.repository.js';
import { DeliveryTexts } from '../../src/messages/delivery-texts.js';
import { MessagePreparer } from '../../src/messages/prepare-message.js';
import { ConversationWindows } from '../../src/windows/conversation-windows.js';
import { SendingRulesCache } from '../../src/sending-rules.js';
import { TemplatesRepository } from '../../src/templates/templates.repository.js';
import { BlockedRecipients } from '../../src/submit/blocked-recipients.js';
import { ScriptedSmartlist } from './scripted-smartlist.js';
import { storedTexts } from './stored-texts.js';

export interface OrganisationOptions {
  readonly kobo?: bigint;
  readonly mode?: OrganisationMode;
  /** The only senders it may use, apart from its default one. */
  readonly senders?: readonly string[];
}

export interface TemplateOptions {
  readonly body: string;
  readonly channel?: 'sms' | 'whatsapp';
  readonly providerName?: string;
  readonly language?: string;
  readonly variables?: readonly string[];
}

const delivery = {
  DELIVERY_PROVIDER_TIMEOUT_MS: 10_000,
  DELIVERY_VALIDITY: '24h',
  DELIVERY_RETRY_AFTER: '5s',
  DELIVERY_OTP_RETRY_AFTER: '5s',
};

/** A database with organisations and the service that accepts messages. Nothing is delivered. */
export class SendingFixture {
  readonly announced: Announcement[] = [];
  readonly smartlist = new ScriptedSmartlist();
  private readonly announcer: Pick<DeliveryAnnouncer, 'announce'> = {
    announce: (announcement) => Promise.resolve(void this.announced.push(announcement)),
  };

  database!: Database;
  private postgres!: TestDatabase;

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

  /** The service of a worker. */
  service({ SIMULATE_LIVE = true, SEAL_MESSAGES = false, database = this.database } = {}): MessagesService {
    const config = new RuntimeConfig({ NODE_ENV: 'test', PUBLIC_URL: 'https://sms.example' });
    const texts = new MessageTexts(config, new MessagingConfig({}));
    return new MessagesService(
      this.preparer(SIMULATE_LIVE, database),
      new MessagesRepository(
        database,
        storedTexts(SEAL_MESSAGES),
        new MessagingConfig({ DAILY_SPEND: 0, MESSAGE_DAILY_SPEND: 0 }),
      ),
      new DeliveriesRepository(database, new RetryPolicies(new MessagingConfig({ ...delivery }))),
      { claim: () => undefined } as unknown as InsertClaims,
      this.announcer as DeliveryAnnouncer,
      new AudienceRepository(database, storedTexts(SEAL_MESSAGES), new LeaseHolder('messaging')),
      { announce: () => Promise.resolve() } as unknown as Announcer,
      new CallbackQuota(database, 0, deliveryEvents),
      new DeliveryTexts(database, texts, storedTexts(SEAL_MESSAGES), {} as AppLogger),
    );
  }

  /** The service that prices messages and stores nothing. */
  estimates(database = this.database): EstimatesService {
    return new EstimatesService(this.preparer(true, database), new BlockedRecipients(database), database);
  }

  private preparer(SIMULATE_LIVE: boolean, database: Database): MessagePreparer {
    const config = new RuntimeConfig({ NODE_ENV: 'test', SIMULATE_LIVE, PUBLIC_URL: 'https://sms.example' });
    const [texts, prices] = [new MessageTexts(config, new MessagingConfig({})), new Prices(database)];
    const providers = new Providers(
      new Simulator(database, {} as OutboxRepository),
      config,
      database,
      {} as ProviderFactory,
    );
    return new MessagePreparer(
      new SendingRulesCache(database),
      new TemplatesRepository(database),
      texts,
      prices,
      providers,
      new SmartlistPricing(this.smartlist as unknown as SmartlistReader, texts),
      new ConversationWindows(database, providers),
      new InboxRepository(database, storedTexts()),
    );
  }

  /** The service that expands smartlists. */
  expander({ SEAL_MESSAGES = false, DAILY_SPEND = 0 } = {}): {
    readonly service: AudienceService;
    readonly repository: AudienceRepository;
    readonly holder: LeaseHolder;
  } {
    const { database } = this;
    const config = new RuntimeConfig({ NODE_ENV: 'test', PUBLIC_URL: 'https://sms.example' });
    const holder = new LeaseHolder('messaging');
    const repository = new AudienceRepository(database, storedTexts(SEAL_MESSAGES), holder);
    const texts = new MessageTexts(config, new MessagingConfig({}));
    const service = new AudienceService(
      repository,
      this.smartlist as unknown as SmartlistReader,
      texts,
      new Prices(database),
      new ConversationWindows(
        database,
        new Providers(
          new Simulator(database, {} as OutboxRepository),
          config,
          database,
          {} as ProviderFactory,
        ),
      ),
      this.announcer as DeliveryAnnouncer,
      new SmartlistPricing(this.smartlist as unknown as SmartlistReader, texts),
      new MessagingConfig({ DAILY_SPEND, MESSAGE_DAILY_SPEND: 0 }),
    );
    return { service, repository, holder };
  }

  async organisation({
    kobo = 100_000_000n,
    mode = 'test',
    senders,
  }: OrganisationOptions = {}): Promise<string> {
    const options = { mode, balanceKobo: kobo, defaultSender: 'Usual', ...(senders && { senders }) };
    return (await anOrganisation(this.database, options)).id;
  }

  template(organisationId: string, options: TemplateOptions): Promise<string> {
    return aTemplate(this.database, organisationId, { ...options });
  }

  async price(service: 'sms' | 'whatsapp', prefix: string, kobo: bigint): Promise<void> {
    await this.database.execute(sql`
      INSERT INTO price (service, prefix, kobo) VALUES (${service}, ${prefix}, ${kobo})
      ON CONFLICT (service, prefix) DO UPDATE SET kobo = excluded.kobo`);
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
        (SELECT count(*)::int FROM ledger_transaction WHERE subject_id = ${messageId}) AS charges`);
    return row ?? { messages: 0, deliveries: 0, charges: 0 };
  }

  async fund(organisationId: string, kobo: bigint): Promise<void> {
    await topUp(this.database, [{ subjectId: newId(), organisationId, kobo }]);
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
