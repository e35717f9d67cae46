import type { Job } from 'bullmq';
import { readEnvelope, type WireRequest } from '../wire/envelope.js';

/** What everybody may see of a job; what it carries stays sealed. */
export interface JobView {
  readonly id: string;
  readonly lane: string;
  readonly addedAt: Date;
  /** When it was put aside. */
  readonly parkedAt?: Date;
  /** Why it was put aside. */
  readonly reason?: string;
  /** How often a worker has begun it. */
  readonly starts: number;
  /** None when the job cannot be read. */
  readonly requests: readonly WireRequest[];
}

export function viewOf(lane: string, job: Job): JobView {
  const { finishedOn, failedReason } = job as Partial<Job>;
  return {
    id: job.id ?? '',
    lane,
    addedAt: new Date(job.timestamp),
    ...(finishedOn && { parkedAt: new Date(finishedOn) }),
    ...(failedReason && { reason: failedReason }),
    starts: job.attemptsStarted,
    requests: requestsOf(job),
  };
}

function requestsOf(job: Job): readonly WireRequest[] {
  try {
    return readEnvelope(job.data).requests;
  } catch {
    return [];
  }
}
