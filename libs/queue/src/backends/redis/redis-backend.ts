import { Queue, Worker } from 'bullmq';
import { RedisBucketStore } from './redis-bucket-store.js';
import type { QueueLogger } from '../../observer.js';
import { LaneQueues } from '../lane-queues.js';
import { reportErrors } from '../report-errors.js';
import type {
  Backend,
  LaneProcessor,
  LaneQueue,
  LaneWorker,
  LaneWorkerOptions,
  ReplyChannel,
} from '../backend.js';
import { openConnections, type RedisConnections } from './redis-connections.js';

export class RedisBackend implements Backend {
  readonly buckets: RedisBucketStore;
  private readonly connections: RedisConnections;
  private readonly queues = new LaneQueues((lane) => {
    const queue = new Queue(lane, { connection: this.connections.producer, prefix: this.prefix(lane) });
    return reportErrors(queue, this.logger, lane);
  });

  constructor(
    url: string,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    this.connections = openConnections(url, namespace, logger);
    this.buckets = new RedisBucketStore(this.connections.producer, namespace);
  }

  get replies(): ReplyChannel {
    return this.connections.replies;
  }

  async queue(lane: string): Promise<LaneQueue> {
    this.checkReachable();
    return this.queues.get(lane);
  }

  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker {
    const own = { connection: this.connections.consumer, prefix: this.prefix(lane) };
    return reportErrors(new Worker(lane, processor, { ...options, ...own }), this.logger, lane);
  }

  checkConnections(): void {
    // Redis needs no bound on connections.
  }

  async ping(): Promise<void> {
    this.checkReachable();
    await this.connections.producer.ping();
  }

  async close(): Promise<void> {
    await this.queues.close();
    this.connections.close();
  }

  neverSent(error: unknown): boolean {
    return (
      error instanceof BrokerUnreachable ||
      (error instanceof Error && error.message.startsWith("Stream isn't writeable"))
    );
  }

  /** One hash tag per lane: a lane is on one node of a cluster, and the lanes are spread over all nodes. */
  private prefix(lane: string): string {
    return `{${this.namespace}:${lane}}`;
  }

  /** BullMQ would wait until the connection is ready; a caller must not. */
  private checkReachable(): void {
    const { status } = this.connections.producer;
    if (status !== 'ready') throw new BrokerUnreachable(`Redis is ${status}`);
  }
}

class BrokerUnreachable extends Error {}
