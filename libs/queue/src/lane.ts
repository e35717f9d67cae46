import type { Contract } from '@gangan/protocol';
import type { JobType } from 'bullmq';
import type { Backend } from './backends/backend.js';

/**
 * The kinds of lanes of a domain. They are separate, because batches need few large jobs, slow requests (`single`) must not
 * delay others, and events need retries and retention.
 */
export type LaneKind = 'batch' | 'single' | 'events';

/** A lane is one BullMQ queue. Each domain has up to three. */
export interface Lane {
  readonly kind: LaneKind;
  readonly name: string;
}

const suffix: Record<LaneKind, string> = { batch: '', single: '-alone', events: '-events' };

export function laneOf(contract: Contract): Lane {
  const kind = contract.kind === 'event' ? 'events' : contract.batch ? 'batch' : 'single';
  return { kind, name: contract.queue + suffix[kind] };
}

/** The options of a job with requests. The reply ends it; nothing of it needs to stay in the broker. */
export const requestJob = { removeOnComplete: true, removeOnFail: false, attempts: 1 };

export type LaneDepth = Awaited<ReturnType<typeof depthOf>>;

/** On Postgres, BullMQ counts the waiting jobs of a paused lane under this name. */
const paused = 'paused' as string as JobType;

/** The number of jobs in a lane, and the age of the oldest that waits. */
export async function depthOf(backend: Backend, lane: string) {
  const queue = await backend.queue(lane);
  const [counts, [oldest]] = await Promise.all([
    queue.getJobCounts('wait', paused, 'prioritized', 'active', 'delayed', 'failed'),
    queue.getJobs(['wait', 'prioritized'], 0, 0, true),
  ]);
  return {
    lane,
    waiting: (counts['wait'] ?? 0) + (counts[paused] ?? 0) + (counts['prioritized'] ?? 0),
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
    oldestSeconds: oldest ? (Date.now() - oldest.timestamp) / 1_000 : 0,
  };
}
