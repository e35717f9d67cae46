import { AppError } from '@gangan/protocol';
import { type Job, UnrecoverableError } from 'bullmq';
import type { QueueLogger, QueueObserver } from '../observer.js';
import { type Envelope, readEnvelope } from '../wire/envelope.js';
import type { MemberRunner } from './member-runner.js';

/** Runs an event. A handler that throws is tried again as its contract says, unless the error is final. */
export class EventProcessor {
  constructor(
    private readonly lane: string,
    private readonly runner: MemberRunner,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  async process(job: Job): Promise<void> {
    this.observer.jobStarted(this.lane, 1, Math.max(0, Date.now() - job.timestamp - job.delay) / 1_000);
    try {
      for (const request of this.read(job).requests) await this.runner.run(request);
    } catch (error) {
      const final = error instanceof UnrecoverableError || (error instanceof AppError && error.final);
      if (final || job.attemptsMade + 1 >= (job.opts.attempts ?? 1)) this.park(job, error);
      throw final ? new UnrecoverableError(messageOf(error)) : error;
    }
  }

  private read(job: Job): Envelope {
    try {
      return readEnvelope(job.data);
    } catch (error) {
      throw new UnrecoverableError(messageOf(error));
    }
  }

  /** BullMQ keeps the job in its failed set; a person must be told. */
  private park(job: Job, error: unknown): void {
    this.observer.parked(this.lane);
    this.logger.error({ lane: this.lane, job: job.id, reason: messageOf(error) }, 'event parked');
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
