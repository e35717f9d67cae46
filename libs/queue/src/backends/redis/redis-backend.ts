import { Queue, Worker } from 'bullmq';
import type { QueueLogger } from '../../observer.js';
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
  private readonly connections: RedisConnections;
  private readonly queues = new Map<string, Queue>();

  constructor(
    url: string,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    this.connections = openConnections(url, namespace, logger);
  }

  get replies(): ReplyChannel {
    return this.connections.replies;
  }

  async queue(lane: string): Promise<LaneQueue> {
    this.refuseWhenAway();
    let queue = this.queues.get(lane);
    if (!queue) {
      queue = new Queue(lane, { connection: this.connections.producer, prefix: this.prefix(lane) });
      reportErrors(queue, this.logger, lane);
      this.queues.set(lane, queue);
    }
    return Promise.resolve(queue);
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

  async ping(): Promise<void> {
    this.refuseWhenAway();
    await this.connections.producer.ping();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
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
    const { status, isCluster } = this.connections.producer;
    const up = status === 'ready' || (isCluster && status === 'connect');
    if (!up) throw new BrokerAway(`Redis is ${status}`);
  }
}

class BrokerAway extends Error {}
