import type { Job } from 'bullmq';
import { type Envelope, readEnvelope, type WireRequest } from '../wire/envelope.js';

/** The readable part of a job; its content stays sealed. */
export interface JobView {
  readonly id: string;
  readonly lane: string;
  readonly addedAt: Date;
  /** When it was parked. */
  readonly parkedAt?: Date;
  /** Why it was parked. */
  readonly reason?: string;
  /** How often a worker has started it. */
  readonly starts: number;
  /** Empty if the job cannot be read. */
  readonly requests: readonly WireRequest[];
}

export function describeJob(lane: string, job: Job): JobView {
  const { finishedOn, failedReason } = job as Partial<Job>;
  return {
    id: job.id ?? '',
    lane,
    addedAt: new Date(job.timestamp),
    ...(finishedOn && { parkedAt: new Date(finishedOn) }),
    ...(failedReason && { reason: failedReason }),
    starts: job.attemptsStarted,
    requests: tryReadEnvelope(job)?.requests ?? [],
  };
}

/** @returns `undefined` if the job cannot be read */
export function tryReadEnvelope(job: Job): Envelope | undefined {
  try {
    return readEnvelope(job.data);
  } catch {
    return undefined;
  }
}
