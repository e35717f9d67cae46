import type { QueueKeys } from './keys/queue-keys.js';

/** Where the queues run. */
export type QueueConnection =
  | {
      readonly kind: 'redis';
      /** `redis:` or `rediss:`, also `redis-sentinel:` and `redis-cluster:` with several hosts. */
      readonly url: string;
    }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** Connections of this process. A worker listens on one of them; the others are for queries. */
      readonly poolSize: number;
    };

/** A `producer` never waits for the broker; a `worker` waits for it before it starts, and serves lanes. */
export type QueueRole = 'producer' | 'worker';

export interface QueueSettings {
  readonly connection: QueueConnection;
  /** The app that sends and receives. It may send the contracts that list it among their senders. */
  readonly app: string;
  readonly keys: QueueKeys;
  /** Separates the queues of several systems on one broker. */
  readonly namespace?: string;
  readonly tuning?: Partial<QueueTuning>;
}

export type QueueTuning = Readonly<typeof defaultTuning>;

export const defaultTuning = {
  /** Jobs of one lane that may be unanswered before new requests are collected into a batch. */
  inFlightJobs: 2,
  /** A job is sent beside a batch in flight only with so many requests, so batches do not shrink when gateways are added. */
  minBesideBatch: 16,
  /** After this time an unanswered job no longer counts as in flight: its worker may have died. */
  slotTimeoutMs: 250,
  maxBatchRequests: 64,
  maxBatchBytes: 256 * 1024,
  maxBatchWeight: 1_000,
  /** How much may be collected before requests are refused. */
  maxCollectedRequests: 10_000,
  maxCollectedBytes: 32 * 1024 * 1024,
  /** Batches that one worker process runs at a time, while all of them are quick. */
  batchConcurrency: 1,
  /** A batch that takes longer than this raises the concurrency by one while it runs. */
  slowJobMs: 10,
  /** The upper bound of the concurrency of batches. */
  maxBatchConcurrency: 8,
  /** Single requests that one worker process runs at a time. */
  singleConcurrency: 8,
  /** Events that one worker process runs at a time. */
  eventConcurrency: 16,
  /** If a worker has not renewed the lock of a job for this long, another worker gets the job. */
  lockDurationMs: 15_000,
  stalledIntervalMs: 5_000,
  /** How often an idle worker looks for jobs that were not announced to it; Postgres and Redis announce each one. */
  idleIntervalS: 10,
  /** High, because most workers die for reasons other than their jobs. */
  maxStalledCount: 20,
  /** If a job waits for this long and this process takes none, the process sends a job to itself. */
  stuckAfterMs: 30_000,
  /** How long a caller waits for the store of the rate limits before this process decides alone. */
  limitTimeoutMs: 100,
  /** How long `close` waits for jobs in flight. */
  drainTimeoutMs: 25_000,
};
