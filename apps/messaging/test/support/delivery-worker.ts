import { CallbackAnnouncer } from '@gangan/callbacks';
import type { SendSmsRequest } from '@gangan/contracts';
import type { Database } from '@gangan/database';
import { LeaseHolder } from '@gangan/leases';
import { newContext, noMessageRoute } from '@gangan/protocol';
import { QueueClient, Queues } from '@gangan/queue';
import { AppLogger, Registry } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { type InjectedValue, type TestingModule, valueFor } from '@gangan/testing';
import type { Type } from '@nestjs/common';
import { defer, EMPTY } from 'rxjs';
import { deliveryIdsOf } from '../../src/delivery-ids.js';
import { EstimatesService } from '../../src/estimates/estimates.service.js';
import { type IncomingHandler, IncomingHandlers } from '../../src/inbox/incoming-handler.js';
import { IncomingService } from '../../src/inbox/incoming.service.js';
import { MessagesService } from '../../src/messages/messages.service.js';
import { OutboxRepository } from '../../src/outbox/outbox.repository.js';
import { RetryPolicies } from '../../src/outcome/retry/retry-policy.js';
import { OutcomeService } from '../../src/outcome/outcome.service.js';
import { ProviderHealth } from '../../src/providers/health/provider-health.js';
import type { MessageProvider } from '../../src/providers/message-provider.js';
import { Providers } from '../../src/providers/providers.js';
import { UnansweredDeliveries } from '../../src/outcome/unanswered-deliveries.js';
import { ReportSweeper } from '../../src/reports/report-sweeper.js';
import { ReportsService } from '../../src/reports/reports.service.js';
import { SimulatedReports } from '../../src/reports/simulated-reports.js';
import { InsertClaims } from '../../src/schedule/claim-on-insert/insert-claims.js';
import { DeliveryAnnouncer } from '../../src/schedule/delivery-announcer.js';
import { HeldDeliveries } from '../../src/schedule/held-deliveries.js';
import { ScheduleService } from '../../src/schedule/schedule.service.js';
import { SuspectDeliveries } from '../../src/schedule/suspect-deliveries.js';
import { createMessaging, silent } from './messaging-module.js';

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
  /** The rate limits of providers. */
  readonly limits?: Pick<Queues['limits'], 'take'>;
  readonly rate?: number;
  readonly window?: number;
  /** Replacements for time limits that follow from the configured ones. */
  readonly times?: Partial<Pick<RetryPolicies, 'startMs' | 'bufferMs'>>;
  readonly handlers?: readonly IncomingHandler[];
  readonly sealsMessages?: boolean;
  readonly publicUrl?: string;
  /** Replacements for other providers. */
  readonly values?: readonly InjectedValue[];
}

/** One messaging worker without its queue: events, sweeps and reports happen when a test calls them. */
export class DeliveryWorker {
  readonly registry: Registry;
  readonly holder: LeaseHolder;
  readonly sealer: DataSealer;
  readonly outbox: OutboxRepository;
  readonly providers: Providers;
  readonly health: ProviderHealth;
  readonly outcomes: OutcomeService;
  readonly unanswered: UnansweredDeliveries;
  readonly service: ScheduleService;
  readonly suspects: SuspectDeliveries;
  readonly insertClaims: InsertClaims;
  readonly messages: MessagesService;
  readonly estimates: EstimatesService;
  readonly reports: ReportsService;
  readonly incoming: IncomingService;
  readonly reportSweeper: ReportSweeper;
  readonly held: HeldDeliveries;
  readonly simulated: SimulatedReports;

  private constructor(
    private readonly module: TestingModule,
    /** The ids of deliveries that were inserted as queued. */
    readonly announced: string[],
  ) {
    this.registry = module.get(Registry);
    this.holder = module.get(LeaseHolder);
    this.sealer = module.get(DataSealer);
    this.outbox = module.get(OutboxRepository);
    this.providers = module.get(Providers);
    this.health = module.get(ProviderHealth);
    this.outcomes = module.get(OutcomeService);
    this.unanswered = module.get(UnansweredDeliveries);
    this.service = module.get(ScheduleService);
    this.suspects = module.get(SuspectDeliveries);
    this.insertClaims = module.get(InsertClaims);
    this.messages = module.get(MessagesService);
    this.estimates = module.get(EstimatesService);
    this.reports = module.get(ReportsService);
    this.incoming = module.get(IncomingService);
    this.reportSweeper = module.get(ReportSweeper);
    this.held = module.get(HeldDeliveries);
    this.simulated = module.get(SimulatedReports);
  }

  static async create(
    database: Database,
    output: WorkerOutput,
    { named, limits, handlers = [], values = [], ...options }: WorkerOptions,
  ): Promise<DeliveryWorker> {
    const announced: string[] = [];
    const module = await createMessaging(database, {
      ...(options.publicUrl !== undefined && { runtime: { PUBLIC_URL: options.publicUrl } }),
      config: {
        DELIVERY_PROVIDER_TIMEOUT_MS: options.timeoutMs ?? 10_000,
        DELIVERY_RETRY_AFTER: '5s,30s,2m',
        DELIVERY_OTP_RETRY_AFTER: '2s,5s',
        DELIVERY_SLOTS: options.slots ?? 8,
        DELIVERY_PROVIDER_RATE: options.rate ?? 0,
        DELIVERY_PROVIDER_WINDOW: options.window ?? 16,
        SEAL_MESSAGES: options.sealsMessages ?? false,
      },
      values: [
        valueFor(AppLogger, {
          ...silent,
          warn: (details: { err?: unknown }, message) =>
            void output.warnings.push(`${message}: ${String(details.err)}`),
          error: (_, message) => void output.warnings.push(message),
        }),
        valueFor(QueueClient, {
          emit: (_: object, event: unknown) => defer(() => (output.events.push(event as object), EMPTY)),
        }),
        valueFor(CallbackAnnouncer, {
          announce: (ids) => Promise.resolve(void output.callbacks.push(...ids)),
        }),
        valueFor(DeliveryAnnouncer, {
          announce: ({ deliveryIds }) => Promise.resolve(void announced.push(...deliveryIds)),
        }),
        ...(limits ? [valueFor(Queues, { limits: limits as Queues['limits'] })] : []),
        ...(named ? [valueFor(Providers, only(named))] : []),
        ...values,
      ],
    });
    Object.assign(module.get(RetryPolicies), options.times);
    for (const handler of handlers) module.get(IncomingHandlers).add(handler);
    return new DeliveryWorker(module, announced);
  }

  /** Any other provider of the worker. */
  get<T>(type: Type<T>): T {
    return this.module.get(type);
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
    for (let more = true; more;) more = await this.suspects.tryNext();
    await this.service.idle();
    for (let more = true; more;) more = await this.reportSweeper.expire();
  }

  /** Receives every simulated report that is due. */
  async receiveReports(): Promise<void> {
    for (let more = true; more;) more = await this.simulated.report();
  }
}

const only = (named: readonly MessageProvider[]): Partial<Providers> => ({
  namesOperators: false,
  pollSources: () => new Map(),
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
});
