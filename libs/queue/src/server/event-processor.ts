import { AppError } from '@gangan/protocol';
import { type Job, UnrecoverableError } from 'bullmq';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { MemberRunner } from './member-runner.js';
import type { JobReader } from './job-reader.js';

/** An event that was in flight in this many workers when they died is not started again. */
const maxDeaths = 3;

/** Runs an event. If its handler throws, it is retried as its contract says, unless the error is final. */
export class EventProcessor {
  constructor(
    private readonly lane: string,
    private readonly reader: JobReader,
    private readonly runner: MemberRunner,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  async process(job: Job): Promise<void> {
    this.observer.jobStarted(this.lane, 1, Math.max(0, Date.now() - job.timestamp - job.delay) / 1_000);
    if (job.attemptsStarted - job.attemptsMade > maxDeaths) throw this.park(job, 'its workers keep dying');
    const { members } = this.reader.read(job);
    try {
      for (const { request, parcel } of members) await this.runner.run(request.name, parcel);
    } catch (error) {
      const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      const isFinal = isLast || (error instanceof AppError && error.final);
      throw isFinal ? this.park(job, publicReason(error)) : new HandlerFailedError(publicReason(error));
    }
  }

  /** Reports the event in the log and in a metric. BullMQ keeps a job with the returned error in its failed set. */
  private park(job: Job, reason: string): UnrecoverableError {
    this.observer.parked(this.lane);
    this.logger.error({ lane: this.lane, job: job.id, reason }, 'event parked');
    return new UnrecoverableError(reason);
  }
}

/** BullMQ stores message and stack of an error unencrypted, so this one has neither. */
class HandlerFailedError extends Error {
  constructor(reason: string) {
    super(reason);
    this.stack = reason;
  }
}

/** The part of an error that may be stored unencrypted; the whole error is in the log. */
const publicReason = (error: unknown): string => {
  if (error instanceof AppError) return `AppError ${error.code}`;
  return error instanceof Error ? error.name : 'unknown error';
};
