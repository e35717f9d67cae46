import { balancesOf, checkLedger, Prices, topUp } from '@gangan/billing';
import type { SendSmsRequest, SmsMessage } from '@gangan/contracts';
import { Database, migrate, openLedgerAccounts, type OrganisationMode, sql } from '@gangan/database';
import { BatchScope, newContext, newId, type RequestContext, runInContext } from '@gangan/protocol';
import { RuntimeConfig } from '@gangan/runtime';
import { startPostgres, type TestPostgres } from '@gangan/testing';
import { expect } from '@jest/globals';
import type { Announcement, DeliveryAnnouncer } from '../../src/schedule/delivery-announcer.js';
import type { ExpansionAnnouncer } from '../../src/audience/expansion-announcer.js';
import { ExpansionRepository } from '../../src/audience/audience.repository.js';
import { ExpansionService } from '../../src/audience/audience.service.js';
import { LeasesRepository } from '../../src/audience/leases.repository.js';
import { SmartlistEstimates } from '../../src/audience/smartlist-pricing.js';
import type { SmartlistReader } from '../../src/audience/smartlist-reader.js';
import { MessageTexts } from '../../src/text/message-text.js';
import { MessagingRepository } from '../../src/messages/messages.repository.js';
import { MessagingService } from '../../src/messages/messages.service.js';
import { Providers } from '../../src/providers/providers.js';
import { Simulator } from '../../src/providers/simulator.js';
import { DeliveriesRepository } from '../../src/messages/deliveries.repository.js';
import { Drafting } from '../../src/messages/message-orders.js';
import { RulesOfOrganisations } from '../../src/messages/sending-rules.js';
import { TemplateRepository } from '../../src/templates/templates.repository.js';
import { ScriptedSmartlist } from './scripted-smartlist.js';

export interface OrganisationFacts {
  readonly kobo?: bigint;
  readonly mode?: OrganisationMode;
  /** The only senders it may use, besides its usual one. */
  readonly senders?: readonly string[];
}

export interface TemplateFacts {
  readonly body: string;
  readonly channel?: 'sms' | 'whatsapp';
  readonly providerName?: string;
  readonly language?: string;
  readonly variables?: readonly string[];
}

/** A real database with organisations that have money, and what accepts their messages. Nothing is delivered. */
export class PostOffice {
  readonly announced: Announcement[] = [];
  readonly smartlist = new ScriptedSmartlist();
  private readonly announcer: Pick<DeliveryAnnouncer, 'announce'> = {
    announce: (announcement) => Promise.resolve(void this.announced.push(announcement)),
  };

  private constructor(
    private readonly postgres: TestPostgres,
    readonly database: Database,
  ) {}

  static async open(poolSize = 10): Promise<PostOffice> {
    const postgres = await startPostgres({ deadlock_timeout: '20ms' });
    await migrate(postgres.url);
    return new PostOffice(postgres, new Database({ url: postgres.url, poolSize }));
  }

  /** The service as a worker has it, outside production unless it says otherwise. */
  service({ inProduction = false } = {}): MessagingService {
    const { database } = this;
    const config = new RuntimeConfig({
      NODE_ENV: inProduction ? 'production' : 'test',
      PUBLIC_URL: 'https://sms.example',
    });
    const [texts, prices] = [new MessageTexts(config), new Prices(database)];
    const drafting = new Drafting(
      new RulesOfOrganisations(database),
      new TemplateRepository(database),
      texts,
      prices,
      new Providers(new Simulator(database), config),
      new SmartlistEstimates(this.smartlist as unknown as SmartlistReader, texts, prices),
    );
    return new MessagingService(
      drafting,
      new MessagingRepository(database),
      new DeliveriesRepository(database),
      this.announcer as DeliveryAnnouncer,
      new ExpansionRepository(database),
      { announce: () => Promise.resolve() } as unknown as ExpansionAnnouncer,
    );
  }

  /** What expands smartlists, as a worker has it. */
  expander(): {
    readonly leases: LeasesRepository;
    readonly service: ExpansionService;
    readonly repository: ExpansionRepository;
  } {
    const { database } = this;
    const leases = new LeasesRepository(database);
    const repository = new ExpansionRepository(database);
    const service = new ExpansionService(
      repository,
      leases,
      this.smartlist as unknown as SmartlistReader,
      new MessageTexts(new RuntimeConfig({ NODE_ENV: 'test', PUBLIC_URL: 'https://sms.example' })),
      new Prices(database),
      this.announcer as DeliveryAnnouncer,
    );
    return { leases, service, repository };
  }

  async organisation({
    kobo = 100_000_000n,
    mode = 'test',
    senders,
  }: OrganisationFacts = {}): Promise<string> {
    const id = newId();
    await this.database.transaction(async (transaction) => {
      await transaction.execute(sql`INSERT INTO account (id, name) VALUES (${id}, 'Test')`);
      await transaction.execute(sql`
        INSERT INTO organisation (id, account_id, mode, default_sender, registered_senders_only)
        VALUES (${id}, ${id}, ${mode}, 'Usual', ${senders !== undefined})`);
      await transaction.execute(sql`
        INSERT INTO sender (organisation_id, name) SELECT ${id}, name FROM unnest(${[...(senders ?? [])]}::text[]) AS s (name)`);
      await openLedgerAccounts(transaction, id);
    });
    await topUp(this.database, [{ subjectId: newId(), organisationId: id, kobo }]);
    return id;
  }

  async template(organisationId: string, facts: TemplateFacts): Promise<string> {
    const id = newId();
    await this.database.execute(sql`
      INSERT INTO template (id, organisation_id, name, channel, body, provider_name, language, variables)
      VALUES (${id}, ${organisationId}, ${id}, ${facts.channel ?? 'sms'}, ${facts.body}, ${facts.providerName ?? null},
        ${facts.language ?? null}, ${[...(facts.variables ?? [])]}::text[])`);
    return id;
  }

  async price(service: 'sms' | 'whatsapp', prefix: string, kobo: bigint): Promise<void> {
    await this.database.execute(sql`
      INSERT INTO price (service, prefix, kobo) VALUES (${service}, ${prefix}, ${kobo})
      ON CONFLICT (service, prefix) DO UPDATE SET kobo = excluded.kobo`);
  }

  /** As the queue runs the members of one batch. */
  sendTogether(
    service: MessagingService,
    members: readonly { readonly request: SendSmsRequest; readonly context: RequestContext }[],
  ): Promise<PromiseSettledResult<SmsMessage>[]> {
    const batch = new BatchScope(members.length);
    return Promise.allSettled(
      members.map(({ request, context }) =>
        runInContext(
          context,
          () =>
            service.send(request, context).finally(() => {
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
