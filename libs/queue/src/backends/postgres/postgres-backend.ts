import { type PoolUse, poolUse } from '@gangan/protocol';
import { createPostgresBackend, type PgPool, withBackend } from 'bullmq';
import { createJobSequence } from './job-sequences.js';
import { PostgresBucketStore } from './postgres-bucket-store.js';
import type { QueueLogger } from '../../observer.js';
import type { Backend, LaneProcessor, LaneQueue, LaneWorker, LaneWorkerOptions } from '../backend.js';
import { LaneQueues } from '../lane-queues.js';
import { reportErrors } from '../report-errors.js';
import { PostgresReplyChannel } from './postgres-reply-channel.js';
import { queueClientConfig, QueuePool } from './queue-pool.js';

const { Queue, Worker } = withBackend(createPostgresBackend);

/** Errors of a connection that was never established; any other error may have come after the job was stored. */
const neverConnected =
  /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|timeout exceeded when trying to connect|timeout expired/;

/** undefined_table and undefined_function */
const missingCodes = ['42P01', '42883'];

/** BullMQ on Postgres: no other server is needed. All lanes of the process share one pool. */
export class PostgresBackend implements Backend {
  readonly replies: PostgresReplyChannel;
  readonly buckets: PostgresBucketStore;
  private readonly pool: QueuePool;
  private readonly queues = new LaneQueues(async (lane) => {
    await this.explainMissing(createJobSequence(this.pool, this.name(lane)));
    return reportErrors(new Queue(this.name(lane), { connection: this.connection }), this.logger, lane);
  });

  constructor(
    url: string,
    private readonly poolSize: number,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    this.pool = reportErrors(new QueuePool(url, poolSize), logger, 'queue pool');
    this.replies = new PostgresReplyChannel(this.pool, queueClientConfig(url), namespace, logger);
    this.buckets = new PostgresBucketStore(this.pool, namespace);
  }

  queue(lane: string): Promise<LaneQueue> {
    return this.queues.get(lane);
  }

  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker {
    const worker = new Worker(this.name(lane), processor, { ...options, connection: this.connection });
    return reportErrors(worker, this.logger, lane);
  }

  /** Each lane occupies a connection to listen on; two more run the queries. */
  checkConnections(lanes: number): void {
    const needed = lanes + 2;
    if (this.poolSize >= needed) return;
    throw new Error(
      `QUEUE_POOL_SIZE is ${this.poolSize}; ${lanes} lanes need at least ${needed} connections`,
    );
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
    await this.pool.close();
  }

  neverSent(error: unknown): boolean {
    const { message, code } = error as { message?: unknown; code?: unknown };
    return neverConnected.test(`${String(message)} ${String(code)}`);
  }

  /** The pool, as BullMQ declares it. */
  private get connection(): PgPool {
    return this.pool as unknown as PgPool;
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
