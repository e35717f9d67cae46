import type { CallbackAnnouncer } from '@gangan/callbacks';
import type { Database } from '@gangan/database';
import { newQueueKey, type QueueClient } from '@gangan/queue';
import { Registry, RuntimeConfig } from '@gangan/runtime';
import { TextSealer } from '@gangan/sealing';
import { from } from 'rxjs';
import { Aftermath } from '../../src/outcome/effects.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { Conclusions } from '../../src/outcome/apply.js';
import { Courier } from '../../src/submit/delivery-submitter.js';
import { DeliveryMetrics } from '../../src/outcome/delivery.metrics.js';
import { DeliveryService } from '../../src/schedule/schedule.service.js';
import { DoNotDisturb } from '../../src/submit/do-not-disturb.js';
import { Letters } from '../../src/submit/message-bodies.js';
import { OtpLetters } from '../../src/submit/otp-bodies.js';
import { OwnReferences } from '../../src/reports/own-references.js';
import { Patience } from '../../src/outcome/retry-policy.js';
import { Prospects } from '../../src/submit/routing.js';
import { Reports } from '../../src/reports/reports.service.js';
import { ReportsRepository } from '../../src/reports/reports.repository.js';
import { Settling } from '../../src/outcome/settling.js';
import { Sweeper } from '../../src/schedule/sweeper.js';
import { Throttle } from '../../src/schedule/provider-limits.js';
import { Verdicts } from '../../src/outcome/transition.js';
import { MessageTexts } from '../../src/text/message-text.js';
import { MessagingConfig } from '../../src/messaging.config.js';
import type { MessageProvider } from '../../src/providers/message-provider.js';
import { Providers } from '../../src/providers/providers.js';
import { SimulatedReports } from '../../src/reports/simulated-reports.js';
import { Simulator } from '../../src/providers/simulator.js';

const key = newQueueKey();

/** What workers have told others. */
export class Ears {
  readonly callbacks: string[] = [];
  readonly events: object[] = [];
  readonly warnings: string[] = [];
}

export interface WorkerWish {
  /** Instead of the simulator. */
  readonly named?: readonly MessageProvider[];
  readonly callMs?: number;
  readonly slots?: number;
  readonly limits?: ConstructorParameters<typeof Throttle>[0];
  readonly rate?: number;
  readonly window?: number;
}

/** One messaging worker without its queue: events, sweeps and reports happen when a test says so. */
export class DeliveryWorker {
  readonly sealer: TextSealer;
  readonly service: DeliveryService;
  readonly sweeper: Sweeper;
  readonly reports: Reports;
  readonly simulated: SimulatedReports;

  constructor(database: Database, ears: Ears, wish: WorkerWish) {
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: (facts: { err?: unknown }, message: string) =>
        void ears.warnings.push(`${message}: ${String(facts.err)}`),
      error: (_: object, message: string) => void ears.warnings.push(message),
      fatal: () => undefined,
    };
    const config = new MessagingConfig({
      DELIVERY_PROVIDER_TIMEOUT_MS: wish.callMs ?? 10_000,
      DELIVERY_RETRY_AFTER: '5s,30s,2m',
      DELIVERY_OTP_RETRY_AFTER: '2s,5s',
      DELIVERY_VALIDITY: '24h',
      DELIVERY_SLOTS: wish.slots ?? 8,
      DELIVERY_PROVIDER_RATE: wish.rate ?? 0,
      DELIVERY_PROVIDER_WINDOW: wish.window ?? 16,
    });
    const runtime = new RuntimeConfig({ NODE_ENV: 'test', PUBLIC_URL: 'https://x.ng', QUEUE_KEY: [key] });
    const queue = { emit: (_: object, event: object) => from([void ears.events.push(event)]) };
    const callbacks = {
      announce: (ids: readonly string[]) => Promise.resolve(void ears.callbacks.push(...ids)),
    };
    const simulator = new Simulator(database);
    const providers = wish.named ? only(wish.named) : new Providers(simulator, runtime);
    const metrics = new DeliveryMetrics(new Registry());
    const patience = new Patience(config);
    const claims = new ClaimsRepository(database);
    const aftermath = new Aftermath(
      callbacks as CallbackAnnouncer,
      queue as unknown as QueueClient,
      metrics,
      logger,
    );
    const repository = new ReportsRepository(database);
    this.sealer = new TextSealer(runtime.QUEUE_KEY);
    const conclusions = new Conclusions(database, logger);
    const ownReferences = new OwnReferences(repository, conclusions, aftermath, patience);
    this.reports = new Reports(repository, ownReferences, aftermath, metrics);
    const prospects = new Prospects(providers, patience);
    const settling = new Settling(claims, conclusions, aftermath, logger);
    const courier = new Courier(
      claims,
      new Letters(database, new MessageTexts(runtime), new OtpLetters(database, this.sealer, logger)),
      new DoNotDisturb(database),
      prospects,
      settling,
      new Verdicts(providers, patience),
      conclusions,
      aftermath,
      this.reports,
      patience,
      metrics,
      logger,
    );
    const throttle = new Throttle(wish.limits ?? ({ limits: {} } as never), config);
    this.service = new DeliveryService(claims, courier, prospects, settling, throttle, logger, config);
    this.sweeper = new Sweeper(claims, this.service, this.reports, repository, aftermath, metrics, patience);
    this.simulated = new SimulatedReports(database, simulator, this.reports);
  }

  /** As the event of a new message does it. */
  async due(organisationId: string, ids: readonly string[], lane: 'sms' | 'otp' = 'sms'): Promise<void> {
    await this.service.due({ lane, organisationId }, ids);
    await this.service.idle();
  }

  /** Takes up everything that is overdue, and waits for it. */
  async sweep(): Promise<void> {
    await this.sweeper.sweep();
    await this.service.idle();
    for (let more = true; more;) more = await this.sweeper.expire();
  }

  /** Hears every simulated report that is due. */
  async hear(): Promise<void> {
    for (let more = true; more;) more = await this.simulated.report();
  }
}

const only = (named: readonly MessageProvider[]): Providers => {
  const providers: Pick<Providers, 'of' | 'named'> = {
    of: (_, channel) => named.filter(({ channels }) => channels.includes(channel)),
    named: (name) => named.find((provider) => provider.name === name),
  };
  return providers as Providers;
};
