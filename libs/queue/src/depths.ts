import type { JobType } from 'bullmq';
import type { Backend } from './backends/backend.js';

/** What waits in a paused lane: on Postgres, BullMQ counts it under this name and not as waiting. */
const PAUSED = 'paused' as string as JobType;

/** How much lies in a lane, and for how long the oldest of it. */
export interface LaneDepth {
  readonly lane: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly oldestSeconds: number;
}

export async function depthOf(backend: Backend, lane: string): Promise<LaneDepth> {
  const queue = await backend.queue(lane);
  const [counts, [oldest]] = await Promise.all([
    queue.getJobCounts('wait', PAUSED, 'prioritized', 'active', 'delayed', 'failed'),
    queue.getJobs(['wait', 'prioritized'], 0, 0, true),
  ]);
  return {
    lane,
    waiting: (counts['wait'] ?? 0) + (counts[PAUSED] ?? 0) + (counts['prioritized'] ?? 0),
    active: counts['active'] ?? 0,
    delayed: counts['delayed'] ?? 0,
    failed: counts['failed'] ?? 0,
    oldestSeconds: oldest ? (Date.now() - oldest.timestamp) / 1_000 : 0,
  };
}
