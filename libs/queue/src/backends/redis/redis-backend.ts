import { Queue, Worker } from 'bullmq';
import type { QueueLogger } from '../../observer.js';
import { reportErrors } from '../report-errors.js';
import type { Backend, LaneProcessor, LaneQueue, LaneWorker, LaneWorkerOptions } from '../backend.js';
import { RedisReplyChannel } from './redis-reply-channel.js';
import {
  type Behaviour,
  connectRedis,
  readRedisUrl,
  type RedisClient,
  type RedisTarget,
} from './redis-url.js';

const retryStrategy = (times: number): number => Math.min(50 * times, 1_000);

/** A caller is waiting: say no at once instead of queueing commands for a broker that is away. */
const failFast: Behaviour = {
  retryStrategy,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 5_000,
};

/** Nobody is waiting: hold on until the broker is back. */
const patient: Behaviour = { retryStrategy, maxRetriesPerRequest: null };

export class RedisBackend implements Backend {
  readonly replies: RedisReplyChannel;
  private readonly target: RedisTarget;
  private readonly producer: RedisClient;
  private readonly consumer: RedisClient;
  private readonly queues = new Map<string, Queue>();

  constructor(
    url: string,
    private readonly namespace: string,
    private readonly logger: QueueLogger,
  ) {
    this.target = readRedisUrl(url);
    this.producer = this.connect(failFast, 'producer');
    this.consumer = this.connect({ ...patient, lazyConnect: true }, 'consumer');
    this.replies = new RedisReplyChannel(this.producer, () => this.connect(patient, 'replies'), namespace);
  }

  async queue(lane: string): Promise<LaneQueue> {
    this.refuseWhenAway();
    let queue = this.queues.get(lane);
    if (!queue) {
      queue = new Queue(lane, { connection: this.producer, prefix: this.prefix(lane) });
      reportErrors(queue, this.logger, lane);
      this.queues.set(lane, queue);
    }
    return Promise.resolve(queue);
  }

  worker(lane: string, processor: LaneProcessor, options: LaneWorkerOptions): LaneWorker {
    const worker = new Worker(lane, processor, {
      ...options,
      connection: this.consumer,
      prefix: this.prefix(lane),
    });
    reportErrors(worker, this.logger, lane);
    return worker;
  }

  async ping(): Promise<void> {
    this.refuseWhenAway();
    await this.producer.ping();
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.queues.values()].map((queue) => queue.close()));
    this.replies.close();
    for (const client of [this.producer, this.consumer]) client.disconnect();
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
    const { status } = this.producer;
    const up = status === 'ready' || (this.target.mode === 'cluster' && status === 'connect');
    if (!up) throw new BrokerAway(`Redis is ${status}`);
  }

  private connect(behaviour: Behaviour, purpose: string): RedisClient {
    const client = connectRedis(this.target, behaviour);
    reportErrors(client, this.logger, purpose);
    return client;
  }
}

class BrokerAway extends Error {}
