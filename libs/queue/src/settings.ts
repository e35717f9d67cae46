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
      /** Connections of this process: one for each lane it serves, the others for queries. */
      readonly poolSize: number;
    };

export interface QueueSettings {
  readonly connection: QueueConnection;
  /** Base64 of 32 bytes each. The first seals, all of them open, so that a key can be replaced without downtime. */
  readonly keys: readonly string[];
  /** Separates the queues of several systems on one broker. */
  readonly namespace?: string;
  readonly tuning?: Partial<QueueTuning>;
}

export interface QueueTuning {
  /** Jobs of one lane that may be unanswered before new requests are collected into a batch. */
  readonly inFlightJobs: number;
  /** After this time an unanswered job no longer counts as in flight: its worker may have died. */
  readonly slotTimeoutMs: number;
  readonly maxBatchRequests: number;
  readonly maxBatchBytes: number;
  readonly maxBatchWeight: number;
  /** How much may be collected before requests are refused. */
  readonly maxCollectedRequests: number;
  readonly maxCollectedBytes: number;
  /** Batches that one worker process runs at a time, while all of them are quick. */
  readonly batchConcurrency: number;
  /** A batch that takes longer than this lets in another beside it, … */
  readonly slowJobMs: number;
  /** … up to this many. */
  readonly maxBatchConcurrency: number;
  /** Single requests that one worker process runs at a time. */
  readonly singleConcurrency: number;
  /** Events that one worker process runs at a time. */
  readonly eventConcurrency: number;
  /** If a worker has not renewed the lock of a job for this long, another worker gets the job. */
  readonly lockDurationMs: number;
  readonly stalledIntervalMs: number;
  /** High, because most workers die for reasons other than their jobs. */
  readonly maxStalledCount: number;
  /** How long a caller waits for the store of the rate limits before this process decides alone. */
  readonly limitTimeoutMs: number;
  /** How long `close` waits for jobs in flight. */
  readonly drainTimeoutMs: number;
}

export const defaultTuning: QueueTuning = {
  inFlightJobs: 2,
  slotTimeoutMs: 250,
  maxBatchRequests: 64,
  maxBatchBytes: 256 * 1024,
  maxBatchWeight: 1_000,
  maxCollectedRequests: 10_000,
  maxCollectedBytes: 32 * 1024 * 1024,
  batchConcurrency: 1,
  slowJobMs: 10,
  maxBatchConcurrency: 8,
  singleConcurrency: 8,
  eventConcurrency: 16,
  lockDurationMs: 15_000,
  stalledIntervalMs: 5_000,
  maxStalledCount: 20,
  limitTimeoutMs: 100,
  drainTimeoutMs: 25_000,
};
