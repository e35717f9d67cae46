/** Where the queue lives. */
export type QueueConnection =
  | {
      readonly kind: 'redis';
      /** `redis:` or `rediss:`, also `redis-sentinel:` and `redis-cluster:` with several hosts. */
      readonly url: string;
    }
  | {
      readonly kind: 'postgres';
      readonly url: string;
      /** Connections of this process: each lane it serves holds one, the rest run queries. */
      readonly poolSize: number;
    };

export interface QueueSettings {
  readonly connection: QueueConnection;
  /** Base64 of 32 bytes each: the first seals, every one opens, so that a key can be changed without a gap. */
  readonly keys: readonly string[];
  /** Keeps the queues of two systems on one broker apart. */
  readonly namespace?: string;
  readonly tuning?: Partial<QueueTuning>;
}

export interface QueueTuning {
  /** Jobs of one lane that may be unanswered before new requests gather into a batch. */
  readonly inFlightJobs: number;
  /** After this, an unanswered job no longer holds its place: its worker may be gone. */
  readonly slotTimeoutMs: number;
  readonly maxBatchRequests: number;
  readonly maxBatchBytes: number;
  readonly maxBatchWeight: number;
  /** What may gather before callers are turned away. */
  readonly maxCollectedRequests: number;
  readonly maxCollectedBytes: number;
  /** Jobs that one worker process runs at a time, by kind of lane. Of batches it is so few while they are quick: … */
  readonly batchConcurrency: number;
  /** … a job that takes longer lets in another beside it, … */
  readonly slowJobMs: number;
  /** … up to so many. */
  readonly maxBatchConcurrency: number;
  readonly singleConcurrency: number;
  readonly eventConcurrency: number;
  /** A job whose worker has not renewed its lock for this long is given to another. */
  readonly lockDurationMs: number;
  readonly stalledIntervalMs: number;
  /** High, because a job is not guilty of the deaths of its workers. */
  readonly maxStalledCount: number;
  /** How long a caller waits for the store of the rate limits, before this process decides alone. */
  readonly limitTimeoutMs: number;
  /** How long closing waits for what is running. */
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
