import type { CallbackAnnouncer } from '@gangan/callbacks';
import type { SmsMessage } from '@gangan/contracts';
import { type Database, type MessageAction, sql } from '@gangan/database';
import { type Announcer, LeaseHolder, LeaseLostError } from '@gangan/leases';
import { newContext, newId } from '@gangan/protocol';
import { Registry } from '@gangan/runtime';
import { AudienceRepository } from '../../src/audience/audience.repository.js';
import { ChangeJob } from '../../src/changes/change-job.js';
import { ChangesRepository } from '../../src/changes/changes.repository.js';
import { ChangesService } from '../../src/changes/changes.service.js';
import { MessagesRepository } from '../../src/messages/messages.repository.js';
import { MessagingConfig } from '../../src/messaging.config.js';
import { DeliveryMetrics } from '../../src/outcome/delivery.metrics.js';
import { OutcomeService } from '../../src/outcome/outcome.service.js';
import { RetryPolicies } from '../../src/outcome/retry-policy.js';
import { storedTexts } from './stored-texts.js';

const config = new MessagingConfig({
  DELIVERY_PROVIDER_TIMEOUT_MS: 10_000,
  DELIVERY_VALIDITY: '24h',
  DELIVERY_RETRY_AFTER: '5s',
  DELIVERY_OTP_RETRY_AFTER: '5s',
  DAILY_SPEND: 0,
  MESSAGE_DAILY_SPEND: 0,
});
const never = new AbortController().signal;

/** The part of a messaging worker that pauses, resumes and cancels messages. Jobs run when a test says so. */
export class ChangeWorker {
  readonly holder = new LeaseHolder('messaging');
  readonly registry = new Registry();
  readonly repository: ChangesRepository;
  readonly job: ChangeJob;
  private readonly service: ChangesService;

  constructor(private readonly database: Database) {
    const announcer = { announce: () => Promise.resolve() } as unknown as Announcer;
    const callbacks = announcer as unknown as CallbackAnnouncer;
    const logger = {
      ...{ debug: () => undefined, info: () => undefined, warn: () => undefined },
      ...{ error: () => undefined, fatal: () => undefined },
    };
    const outcomes = new OutcomeService(
      database,
      new RetryPolicies(config),
      callbacks,
      announcer,
      new DeliveryMetrics(this.registry),
      logger,
    );
    this.repository = new ChangesRepository(database, this.holder);
    const audience = new AudienceRepository(database, storedTexts(), new LeaseHolder('messaging'));
    this.job = new ChangeJob(this.repository, audience, outcomes, callbacks);
    const messages = new MessagesRepository(database, storedTexts(), config);
    this.service = new ChangesService(this.repository, messages, announcer);
  }

  request(
    action: MessageAction,
    organisationId: string,
    id: string,
    operationId = newId(),
  ): Promise<SmsMessage> {
    return this.service.change(action, { id }, newContext({ organisationId, operationId }));
  }

  /** Requests it, and runs the job. */
  async change(...request: Parameters<ChangeWorker['request']>): Promise<SmsMessage> {
    const response = await this.request(...request);
    await this.run();
    return response;
  }

  /** Runs one slice of the next job. @returns whether there was one */
  async runSlice(slice?: Parameters<ChangeJob['runSlice']>[2]): Promise<boolean> {
    const claimed = await this.repository.claimNext();
    if (claimed)
      await this.job.runSlice(claimed, never, slice).catch((error: unknown) => {
        if (!(error instanceof LeaseLostError)) throw error;
      });
    return claimed !== undefined;
  }

  /** Runs all jobs, until they have ended or wait for a provider. */
  async run(): Promise<void> {
    await this.makeDue();
    while (await this.runSlice());
  }

  /** As if the leases of workers had expired. */
  async makeDue(): Promise<void> {
    await this.database.execute(sql`UPDATE message_change SET next_attempt_at = now() - interval '1 second'`);
  }

  async jobs(): Promise<number> {
    return this.database.messageChange.count();
  }
}
