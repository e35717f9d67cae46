import { createPostgresBackend, type PgPool, withBackend } from 'bullmq';
import type pg from 'pg';
import type { QueueLogger } from '../../observer.js';
import type { Backend, LaneProcessor, LaneQueue, LaneWorker, LaneWorkerOptions } from '../backend.js';
import { reportErrors } from '../report-errors.js';
import { PostgresReplyChannel } from './postgres-reply-channel.js';
import { openQueuePool, queueClientConfig } from './queue-pool.js';

const { Queue, Worker } = withBackend(createPostgresBackend);

/** Errors of a connection that was never made; any other may have come after the job was stored. */
const NEVER_CONNECTED =
  /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|timeout exceeded when trying to connect|timeout expired/;

/** BullMQ on Postgres: no other server is needed. All lanes share the process's one pool. */
export class PostgresBackend implements Backend {
  readonly replies: PostgresReplyChannel;
  private readonly pool: pg.Pool;
  private lanes = 0;
  private readonly queues = new Map<string, InstanceType<typeof Queue>>();

  constructor(
    url: string,
    private readonly poolSize: number,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    this.pool = openQueuePool(url, poolSize);
    reportErrors(this.pool, logger, 'queue pool');
    this.replies = new PostgresReplyChannel(this.pool, queueClientConfig(url), namespace, logger);
  }

  async queue(lane: string): Promise<LaneQueue> {
    const known = this.queues.get(lane);
    if (known) return known;
    const queue = new Queue(this.name(lane), { connection: this.connection });
    reportErrors(queue, this.logger, lane);
    // BullMQ remembers a failed first connection for ever, so a queue is kept only once it has connected.
    await queue.waitUntilReady();
    const raced = this.queues.get(lane);
    if (raced) return raced;
    this.queues.set(lane, queue);
    return queue;
  }

  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker {
    this.refuseTooSmallPool();
    const worker = new Worker(this.name(lane), processor, { ...options, connection: this.connection });
    reportErrors(worker, this.logger, lane);
    return worker;
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
    await this.replies.close();
    await this.pool.end();
  }

  neverSent(error: unknown): boolean {
    return (
      error instanceof Error &&
      NEVER_CONNECTED.test(`${error.message} ${String((error as { code?: string }).code)}`)
    );
  }

  /** Each lane listens on a connection of its own for as long as it lives; somebody must run the queries. */
  private refuseTooSmallPool(): void {
    this.lanes += 1;
    const needed = this.lanes + 2;
    if (this.poolSize < needed) {
      throw new Error(
        `QUEUE_POOL_SIZE is ${this.poolSize}; ${this.lanes} lanes need at least ${needed} connections`,
      );
    }
  }

  /** The same pool, in BullMQ's own words for it. */
  private get connection(): PgPool {
    return this.pool as unknown as PgPool;
  }

  private name(lane: string): string {
    return `${this.namespace}-${lane}`;
  }
}
