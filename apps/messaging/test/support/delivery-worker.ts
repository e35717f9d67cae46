import { Prices } from '@gangan/billing';
import { type CallbackAnnouncer, CallbackQuota } from '@gangan/callbacks';
import { deliveryEvents, type SendSmsRequest } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { Announcer, LeaseHolder } from '@gangan/leases';
import { newContext, noMessageRoute } from '@gangan/protocol';
import { newQueueKey, type QueueClient } from '@gangan/queue';
import { Registry, RuntimeConfig } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { from } from 'rxjs';
import { AudienceRepository } from '../../src/audience/audience.repository.js';
import { SmartlistPricing } from '../../src/audience/smartlist-pricing.js';
import type { SmartlistReader } from '../../src/audience/smartlist-reader.js';
import { deliveryIdsOf } from '../../src/delivery-ids.js';
import { type IncomingHandler, IncomingHandlers } from '../../src/inbox/incoming-handler.js';
import { IncomingRepository } from '../../src/inbox/incoming.repository.js';
import { IncomingService } from '../../src/inbox/incoming.service.js';
import { DeliveriesRepository } from '../../src/messages/deliveries.repository.js';
import { DeliveryTexts } from '../../src/messages/delivery-texts.js';
import { EstimatesService } from '../../src/estimates/estimates.service.js';
import { MessagesRepository } from '../../src/messages/messages.repository.js';
import { InboxRepository } from '../../src/inbox/inbox.repository.js';
import { MessagesService } from '../../src/messages/messages.service.js';
import { MessagePreparer } from '../../src/messages/prepare-message.js';
import { SendingRulesCache } from '../../src/sending-rules.js';
import { MessagingConfig } from '../../src/messaging.config.js';
import { DeliveryMetrics } from '../../src/outcome/delivery.metrics.js';
import { OutcomeService } from '../../src/outcome/outcome.service.js';
import { RetryPolicies } from '../../src/outcome/retry-policy.js';
import type { MessageProvider } from '../../src/providers/message-provider.js';
import { ProviderFactory } from '../../src/providers/provider-factory.js';
import { ProviderHealth } from '../../src/providers/health/provider-health.js';
import { ProviderMetrics } from '../../src/providers/health/provider.metrics.js';
import { Providers } from '../../src/providers/providers.js';
import { OutboxRepository } from '../../src/outbox/outbox.repository.js';
import { Simulator } from '../../src/providers/simulator.js';
import { ReportSweeper } from '../../src/reports/report-sweeper.js';
import { ReportedDeliveries } from '../../src/reports/reported-deliveries.js';
import { ReportedParts } from '../../src/reports/reported-parts.js';
import { ReportsService } from '../../src/reports/reports.service.js';
import { SimulatedReports } from '../../src/reports/simulated-reports.js';
import type { Announcement, DeliveryAnnouncer } from '../../src/schedule/delivery-announcer.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { HeldDeliveries } from '../../src/schedule/held-deliveries.js';
import { InsertClaims } from '../../src/schedule/claim-on-insert/insert-claims.js';
import { ProviderLimits } from '../../src/schedule/provider-limits.js';
import { PermittedSubmitter } from '../../src/schedule/permitted-submitter.js';
import { QuietHoursHold } from '../../src/schedule/quiet-hours.js';
import { ScheduleService } from '../../src/schedule/schedule.service.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { DeliverySubmitter } from '../../src/submit/delivery-submitter.js';
import { BlockedRecipients } from '../../src/submit/blocked-recipients.js';
import { ClosedWindows } from '../../src/submit/closed-windows.js';
import { MessageBodies } from '../../src/submit/message-bodies.js';
import { ProviderCalls } from '../../src/submit/provider-calls.js';
import { Router } from '../../src/submit/routing.js';
import { SealedBodies } from '../../src/submit/sealed-bodies.js';
import { TemplatesRepository } from '../../src/templates/templates.repository.js';
import { MessageTexts } from '../../src/text/message-text.js';
import { ConversationWindows } from '../../src/windows/conversation-windows.js';
import { storedTexts } from './stored-texts.js';

const noSmartlists = {} as SmartlistReader;

const [key, queueKey] = [newQueueKey(), newQueueKey()];

/** What workers have announced and logged. */
export class WorkerOutput {
  readonly callbacks: string[] = [];
  readonly events: object[] = [];
  readonly warnings: string[] = [];
}

export interface WorkerOptions {
  /** Instead of the simulator. */
  readonly named?: readonly MessageProvider[];
  readonly timeoutMs?: number;
  readonly slots?: number;
  readonly limits?: ConstructorParameters<typeof ProviderLimits>[0];
  readonly rate?: number;
  readonly window?: number;
  readonly handlers?: readonly IncomingHandler[];
  readonly sealsMessages?: boolean;
}

/** One messaging worker without its queue: events, sweeps and reports happen when a test calls them. */
export class DeliveryWorker {
  readonly registry = new Registry();
  readonly holder: LeaseHolder;
  readonly sealer: DataSealer;
  readonly outbox: OutboxRepository;
  readonly providers: Providers;
  readonly health: ProviderHealth;
  readonly outcomes: OutcomeService;
  readonly service: ScheduleService;
  readonly insertClaims: InsertClaims;
  readonly messages: MessagesService;
  readonly estimates: EstimatesService;
  /** The ids of deliveries that were inserted as queued. */
  readonly announced: string[] = [];
  readonly reports: ReportsService;
  readonly incoming: IncomingService;
  readonly reportSweeper: ReportSweeper;
  readonly held: HeldDeliveries;
  readonly simulated: SimulatedReports;

  constructor(database: Database, output: WorkerOutput, options: WorkerOptions) {
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (details: { err?: unknown }, message: string) =>
        void output.warnings.push(`${message}: ${String(details.err)}`),
      error: (_: object, message: string) => void output.warnings.push(message),
      fatal: () => undefined,
    };
    const config = new MessagingConfig({
      DELIVERY_PROVIDER_TIMEOUT_MS: options.timeoutMs ?? 10_000,
      DELIVERY_RETRY_AFTER: '5s,30s,2m',
      DELIVERY_OTP_RETRY_AFTER: '2s,5s',
      DELIVERY_VALIDITY: '24h',
      DELIVERY_SLOTS: options.slots ?? 8,
      DELIVERY_PROVIDER_RATE: options.rate ?? 0,
      DELIVERY_PROVIDER_WINDOW: options.window ?? 16,
      DEFAULT_REGION: 'NG',
      DAILY_SPEND: 0,
      MESSAGE_DAILY_SPEND: 0,
    });
    const runtime = new RuntimeConfig({
      NODE_ENV: 'test',
      PUBLIC_URL: 'https://x.ng',
      QUEUE_KEY: [queueKey],
    });
    const queue = { emit: (_: object, event: object) => from([void output.events.push(event)]) };
    const callbacks = {
      announce: (ids: readonly string[]) => Promise.resolve(void output.callbacks.push(...ids)),
    };
    this.holder = new LeaseHolder('messaging');
    this.sealer = new DataSealer([key]);
    this.outbox = new OutboxRepository(database, this.sealer);
    const simulator = new Simulator(database, this.outbox);
    const queues = options.limits ?? ({ limits: {} } as never);
    const factory = new ProviderFactory(this.sealer, queues, config, logger);
    this.providers = options.named
      ? only(options.named)
      : new Providers(simulator, runtime, database, factory);
    const metrics = new DeliveryMetrics(this.registry);
    const policies = new RetryPolicies(config);
    const announcer = new Announcer(queue as unknown as QueueClient, logger);
    this.outcomes = new OutcomeService(
      database,
      policies,
      callbacks as CallbackAnnouncer,
      announcer,
      metrics,
      logger,
    );
    const deliveries = new ReportedDeliveries(database, this.outcomes);
    this.reports = new ReportsService(
      database,
      deliveries,
      new ReportedParts(database),
      this.outcomes,
      metrics,
    );
    const incomingTexts = storedTexts(options.sealsMessages);
    const handlers = new IncomingHandlers();
    for (const handler of options.handlers ?? []) handlers.add(handler);
    this.incoming = new IncomingService(
      database,
      new IncomingRepository(incomingTexts),
      incomingTexts,
      handlers,
      callbacks as CallbackAnnouncer,
      config,
    );
    this.reportSweeper = new ReportSweeper(database, this.reports, this.outcomes, policies);
    this.held = new HeldDeliveries(database, this.outcomes, policies);
    this.simulated = new SimulatedReports(database, simulator, this.reports);
    const bodies = new SealedBodies(this.sealer, runtime.QUEUE_KEY);
    this.health = new ProviderHealth(database, new ProviderMetrics(this.registry), logger, config);
    const router = new Router(this.providers, this.health, policies);
    const claims = new ClaimsRepository(database, policies, this.holder);
    const texts = new MessageTexts(runtime, config);
    const blockedRecipients = new BlockedRecipients(database);
    const submitter = new DeliverySubmitter(
      claims,
      new MessageBodies(database, texts, storedTexts(), bodies, logger),
      blockedRecipients,
      new ClosedWindows(database, new ConversationWindows(database, this.providers)),
      router,
      new ProviderCalls(policies, this.health, metrics, logger),
      this.outcomes,
      this.reports,
    );
    const due = new DueRepository(database, this.providers);
    const limits = new ProviderLimits(queues, this.health, config);
    const rules = new SendingRulesCache(database);
    const quietHours = new QuietHoursHold(database, rules, policies);
    this.service = new ScheduleService(
      due,
      router,
      new PermittedSubmitter(router, limits, this.health, quietHours, submitter),
      submitter,
      quietHours,
      metrics,
      logger,
      config,
    );
    this.insertClaims = new InsertClaims(
      router,
      limits,
      this.health,
      texts,
      claims,
      submitter,
      this.service,
      policies,
      logger,
    );
    const announce = ({ deliveryIds }: Announcement) =>
      Promise.resolve(void this.announced.push(...deliveryIds));
    const prices = new Prices(database);
    const preparer = new MessagePreparer(
      rules,
      new TemplatesRepository(database),
      texts,
      prices,
      this.providers,
      new SmartlistPricing(noSmartlists, texts),
      new ConversationWindows(database, this.providers),
      new InboxRepository(database, storedTexts()),
    );
    this.estimates = new EstimatesService(preparer, blockedRecipients, database);
    this.messages = new MessagesService(
      preparer,
      new MessagesRepository(database, storedTexts(), config),
      new DeliveriesRepository(database, policies),
      this.insertClaims,
      { announce } as DeliveryAnnouncer,
      new AudienceRepository(database, storedTexts(), new LeaseHolder('messaging')),
      announcer,
      new CallbackQuota(database, 0, deliveryEvents),
      new DeliveryTexts(database, texts, storedTexts(), logger),
    );
  }

  /** Accepts a message as the queue does. @returns its id and those of its deliveries */
  async accept(
    organisationId: string,
    request: SendSmsRequest,
  ): Promise<{ readonly id: string; readonly deliveries: string[] }> {
    const { id, recipients } = await this.messages.send(request, newContext({ organisationId }));
    return { id, deliveries: deliveryIdsOf(id, recipients.length) };
  }

  /** Until nothing is in flight. */
  async idle(): Promise<void> {
    await this.insertClaims.idle();
    await this.service.idle();
  }

  /** As the event of a new message does. */
  async due(
    organisationId: string,
    ids: readonly string[],
    trafficClass: 'sms' | 'otp' = 'sms',
  ): Promise<void> {
    await this.service.schedule({ trafficClass, organisationId }, ids);
    await this.service.idle();
  }

  /** Processes everything that is overdue. */
  async sweep(): Promise<void> {
    await this.service.sweep();
    await this.service.idle();
    for (let more = true; more;) more = await this.reportSweeper.expire();
  }

  /** Receives every simulated report that is due. */
  async receiveReports(): Promise<void> {
    for (let more = true; more;) more = await this.simulated.report();
  }
}

const only = (named: readonly MessageProvider[]): Providers => {
  const providers: Omit<Providers, 'onModuleInit' | 'refresh' | 'creditSources'> = {
    namesOperators: false,
    findPorted: () => Promise.resolve(new Map()),
    routeFor: ({ channel }) => ({
      id: null,
      round: named.filter(({ channels }) => channels.includes(channel)),
    }),
    findRouteError: ({ channel }) =>
      named.some(({ channels }) => channels.includes(channel)) ? undefined : noMessageRoute(channel),
    findTemplateFault: () => undefined,
    sendsAll: (name, { channel }) =>
      named.every((provider) => provider.name === name || !provider.channels.includes(channel)),
    findUsable: (name) => named.find((provider) => provider.name === name),
    originatorFor: (_, sender) => sender,
  };
  return providers as Providers;
};
