import type { Job, Queue, Worker, WorkerOptions } from 'bullmq';
import type { BucketStore } from '../limits/bucket-store.js';

/** The parts of a BullMQ worker's options that the transport decides; connections are the backend's business. */
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

/** A datastore that BullMQ runs on, and the channel that answers come back by. One per process. */
export interface Backend {
  readonly replies: ReplyChannel;
  readonly buckets: BucketStore;
  /** The producing end of a lane. Rejects at once when the broker is known to be away. */
  queue(lane: string): Promise<LaneQueue>;
  /** The consuming end. It does not run until told to, and then survives the broker's absence. */
  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker;
  /** @throws when the process is given too few connections to serve so many lanes */
  refuseTooManyLanes(lanes: number): void;
  ping(): Promise<void>;
  close(): Promise<void>;
  /** Whether an error of `queue.add` proves that nothing reached the broker. */
  neverSent(error: unknown): boolean;
}

/** Carries answers to the process that waits for them. What it loses, the caller's deadline covers. */
export interface ReplyChannel {
  /** Resolves once it listens, however long the broker is away. */
  subscribe(address: string, listener: (payload: string) => void): Promise<void>;
  /** Whether answers can reach this process at the moment. */
  readonly listening: boolean;
  publish(address: string, payload: string): Promise<void>;
}
