import { type PoolUse, poolUse } from '@gangan/protocol';
import { createPostgresBackend, type PgPool, withBackend } from 'bullmq';
import { createJobSequence } from './job-sequences.js';
import { PostgresBucketStore } from './postgres-bucket-store.js';
import type { QueueLogger } from '../../observer.js';
import type { QueueRole } from '../../settings.js';
import type { Backend, LaneProcessor, LaneQueue, LaneWorker, LaneWorkerOptions } from '../backend.js';
import { LaneQueues } from '../lane-queues.js';
import { reportErrors, ThrottledErrorLog } from '../report-errors.js';
import { PostgresReplyChannel } from './postgres-reply-channel.js';
import { queueClientConfig, QueuePool } from './queue-pool.js';
import { SharedListener } from './shared-listener.js';

/** After an error BullMQ would wait an hour for the next notification, and one may have been lost. */
const maxWaitSeconds = 5;

const createBackend: typeof createPostgresBackend = (...given) =>
  Object.defineProperty(createPostgresBackend(...given), 'maximumBlockTimeout', { value: maxWaitSeconds });

const { Queue, Worker } = withBackend(createBackend);

/** A worker needs one connection to listen on and two for queries. */
const minConnections = 3;

/** The SQLSTATEs undefined_table and undefined_function. */
const missingCodes = ['42P01', '42883'];

/** BullMQ on Postgres: no other server is needed. All lanes of the process share one pool. */
export class PostgresBackend implements Backend {
  readonly replies: PostgresReplyChannel;
  readonly buckets: PostgresBucketStore;
  private readonly pool: QueuePool;
  private readonly listener: SharedListener;
  private readonly queues = new LaneQueues(async (lane) => {
    await this.explainMissing(createJobSequence(this.pool, this.name(lane)));
    const connection = this.pool as unknown as PgPool;
    return reportErrors(new Queue(this.name(lane), { connection }), this.logger, lane);
  });

  constructor(
    url: string,
    private readonly poolSize: number,
    role: QueueRole,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    // Only a worker serves lanes, and listens for their jobs.
    const forQueries = role === 'worker' ? Math.max(1, poolSize - 1) : poolSize;
    this.pool = new QueuePool(url, forQueries, new ThrottledErrorLog(logger, 'queue pool').report);
    this.pool.on('error', this.pool.report);
    this.listener = new SharedListener(queueClientConfig(url), new ThrottledErrorLog(logger, 'lanes').report);
    this.replies = new PostgresReplyChannel(this.pool, queueClientConfig(url), namespace, logger);
    this.buckets = new PostgresBucketStore(this.pool, namespace);
  }

  queue(lane: string): Promise<LaneQueue> {
    return this.queues.get(lane);
  }

  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker {
    const worker = new Worker(this.name(lane), processor, { ...options, connection: this.workerConnection });
    return reportErrors(worker, this.logger, lane);
  }

  checkConnections(): void {
    if (this.poolSize >= minConnections) return;
    throw new Error(`QUEUE_POOL_SIZE is ${this.poolSize}; it must be at least ${minConnections}`);
  }

  poolUse(): PoolUse {
    return poolUse(this.pool);
  }

  async ping(): Promise<void> {
    await this.explainMissing(this.pool.query('SELECT FROM job LIMIT 0'));
  }

  async close(): Promise<void> {
    await this.queues.close();
    await this.replies.close();
    await this.listener.close();
    await this.pool.close();
  }

  neverSent(error: unknown): boolean {
    return (error as { code?: unknown }).code === 'ECONNREFUSED';
  }

  /** What BullMQ takes for a pool. It connects only to listen, and to check the version of its tables. */
  private get workerConnection(): PgPool {
    const { pool, listener } = this;
    return {
      connect: () => listener.connect(),
      query: pool.query.bind(pool),
      on: pool.on.bind(pool),
      end: () => Promise.resolve(),
      options: pool.options,
    } as unknown as PgPool;
  }

  private async explainMissing(query: Promise<unknown>): Promise<void> {
    try {
      await query;
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!missingCodes.includes(code)) throw error;
      throw new Error("The queue's tables are missing or out of date: run pnpm migrate", { cause: error });
    }
  }

  private name(lane: string): string {
    return `${this.namespace}-${lane}`;
  }
}
