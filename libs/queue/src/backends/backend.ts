import type { PoolUse } from '@gangan/protocol';
import type { Job, Queue, Worker, WorkerOptions } from 'bullmq';
import type { BucketStore } from '../limits/bucket-store.js';

/** The options of a BullMQ worker without those that the backend sets. */
export type LaneWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>;

export type LaneQueue = Pick<
  Queue,
  'add' | 'getJobCounts' | 'getJob' | 'getJobs' | 'isPaused' | 'pause' | 'resume' | 'close'
>;

export type LaneWorker = Pick<
  Worker,
  'run' | 'close' | 'isRunning' | 'waitUntilReady' | 'concurrency' | 'pause' | 'resume'
> & {
  on(event: 'failed', listener: (job: Job | undefined, error: Error) => void): unknown;
};

export type LaneProcessor = (job: Job) => Promise<void>;

/** A datastore that BullMQ runs on, with the channel for replies. One per process. */
export interface Backend {
  readonly replies: ReplyChannel;
  readonly buckets: BucketStore;
  /** The producer of a lane. Rejects at once if the broker is known to be unreachable. */
  queue(lane: string): Promise<LaneQueue>;
  /** The consumer of a lane. It starts with `run`, and then reconnects whenever it loses the broker. */
  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker;
  /** @throws if the process has too few connections to serve lanes */
  checkConnections(): void;
  /** How the connection pool is used, if the backend runs in the database. */
  poolUse?(): PoolUse;
  ping(): Promise<void>;
  close(): Promise<void>;
  /** Whether an error of `queue.add` proves that nothing reached the broker. */
  neverSent(error: unknown): boolean;
}

/** Carries replies to the process that waits for them. If it loses one, the caller's deadline passes. */
export interface ReplyChannel {
  /**
   * Resolves when it is subscribed, however long the broker is unreachable.
   * @param onLost called when the connection broke, if jobs and replies may be lost with it. Redis keeps jobs, and
   *   workers repeat replies that they could not send, so there it is not called.
   */
  subscribe(address: string, listener: (payload: string) => void, onLost: () => void): Promise<void>;
  /** Whether replies can reach this process at the moment. */
  readonly listening: boolean;
  publish(address: string, payload: string): Promise<void>;
}
