import type { CallbackAnnouncer } from '@gangan/callbacks';
import type { Database } from '@gangan/database';
import { Announcer, LeaseHolder } from '@gangan/leases';
import { newQueueKey, type QueueClient } from '@gangan/queue';
import { Registry, RuntimeConfig } from '@gangan/runtime';
import { DataSealer } from '@gangan/sealing';
import { from } from 'rxjs';
import { MessagingConfig } from '../../src/messaging.config.js';
import { DeliveryMetrics } from '../../src/outcome/delivery.metrics.js';
import { OutcomeService } from '../../src/outcome/outcome.service.js';
import { RetryPolicies } from '../../src/outcome/retry-policy.js';
import type { MessageProvider } from '../../src/providers/message-provider.js';
import { Providers } from '../../src/providers/providers.js';
import { Simulator } from '../../src/providers/simulator.js';
import { ReportSweeper } from '../../src/reports/report-sweeper.js';
import { ReportedDeliveries } from '../../src/reports/reported-deliveries.js';
import { ReportsService } from '../../src/reports/reports.service.js';
import { SimulatedReports } from '../../src/reports/simulated-reports.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { HeldDeliveries } from '../../src/schedule/held-deliveries.js';
import { ProviderLimits } from '../../src/schedule/provider-limits.js';
import { ScheduleService } from '../../src/schedule/schedule.service.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { DeliverySubmitter } from '../../src/submit/delivery-submitter.js';
import { DoNotDisturb } from '../../src/submit/do-not-disturb.js';
import { MessageBodies } from '../../src/submit/message-bodies.js';
import { ProviderCalls } from '../../src/submit/provider-calls.js';
import { Router } from '../../src/submit/routing.js';
import { SealedBodies } from '../../src/submit/sealed-bodies.js';
import { MessageTexts } from '../../src/text/message-text.js';
import { storedTexts } from './stored-texts.js';

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
}

/** One messaging worker without its queue: events, sweeps and reports happen when a test calls them. */
export class DeliveryWorker {
  readonly holder: LeaseHolder;
  readonly sealer: DataSealer;
  readonly outcomes: OutcomeService;
  readonly service: ScheduleService;
  readonly reports: ReportsService;
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
    const simulator = new Simulator(database);
    const providers = options.named ? only(options.named) : new Providers(simulator, runtime);
    const metrics = new DeliveryMetrics(new Registry());
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
    this.reports = new ReportsService(database, deliveries, this.outcomes, metrics);
    this.reportSweeper = new ReportSweeper(database, this.reports, this.outcomes, policies);
    this.held = new HeldDeliveries(database, this.outcomes, policies);
    this.simulated = new SimulatedReports(database, simulator, this.reports);
    this.sealer = new DataSealer([key]);
    const bodies = new SealedBodies(this.sealer, runtime.QUEUE_KEY);
    const router = new Router(providers, policies);
    const submitter = new DeliverySubmitter(
      new ClaimsRepository(database, policies, this.holder),
      new MessageBodies(
        database,
        new MessageTexts(runtime, new MessagingConfig({})),
        storedTexts(),
        bodies,
        logger,
      ),
      new DoNotDisturb(database),
      router,
      new ProviderCalls(policies, metrics, logger),
      this.outcomes,
      this.reports,
      policies,
    );
    const due = new DueRepository(database);
    const limits = new ProviderLimits(options.limits ?? ({ limits: {} } as never), config);
    this.service = new ScheduleService(due, router, limits, submitter, metrics, logger, config);
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
  const providers: Pick<Providers, 'roundFor' | 'find'> = {
    roundFor: (_, channel) => named.filter(({ channels }) => channels.includes(channel)),
    find: (name) => named.find((provider) => provider.name === name),
  };
  return providers as Providers;
};
