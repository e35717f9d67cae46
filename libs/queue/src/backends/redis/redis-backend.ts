import { Queue, Worker } from 'bullmq';
import { RedisBucketStore } from '../../limits/redis-bucket-store.js';
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
    reportErrors(queue, this.logger, lane);
    return queue;
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
    this.refuseWhenAway();
    return this.queues.get(lane);
  }

  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker {
    const worker = new Worker(lane, processor, {
      ...options,
      connection: this.connections.consumer,
      prefix: this.prefix(lane),
    });
    reportErrors(worker, this.logger, lane);
    return worker;
  }

  refuseTooManyLanes(): void {
    // Connections are cheap here.
  }

  async ping(): Promise<void> {
    this.refuseWhenAway();
    await this.connections.producer.ping();
  }

  async close(): Promise<void> {
    await this.queues.close();
    this.connections.close();
  }

  neverSent(error: unknown): boolean {
    return (
      error instanceof BrokerAway ||
      (error instanceof Error && error.message.startsWith("Stream isn't writeable"))
    );
  }

  /** One hash tag per lane, so that a lane lives on one node of a cluster and lanes spread over all. */
  private prefix(lane: string): string {
    return `{${this.namespace}:${lane}}`;
  }

  /** BullMQ waits for a connection to become ready; a caller must not. */
  private refuseWhenAway(): void {
    const { status } = this.connections.producer;
    if (status !== 'ready') throw new BrokerAway(`Redis is ${status}`);
  }
}

class BrokerAway extends Error {}
