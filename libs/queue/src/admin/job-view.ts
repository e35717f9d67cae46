import type { Job } from 'bullmq';
import { type Envelope, readEnvelope } from '../wire/envelope.js';

export type JobView = ReturnType<typeof describeJob>;

/** The readable part of a job; its content stays sealed. */
export function describeJob(lane: string, job: Job) {
  const { finishedOn, failedReason } = job as Partial<Job>;
  return {
    id: job.id ?? '',
    lane,
    addedAt: new Date(job.timestamp),
    ...(finishedOn && { parkedAt: new Date(finishedOn) }),
    /** Why it was parked. */
    ...(failedReason && { reason: failedReason }),
    /** How often a worker has started it. */
    starts: job.attemptsStarted,
    /** Empty if the job cannot be read. */
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
