import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';
import type { ReplyChannel } from '../backend.js';
import type { ThrottledErrorLog } from '../report-errors.js';

type RedisClient = Redis | Cluster;

/**
 * Replies by publish and subscribe: nothing is stored. The subscription is renewed here after an outage, because the
 * promise of ioredis' own renewal is rejected unhandled if the connection closes meanwhile.
 */
export class RedisReplyChannel implements ReplyChannel {
  private subscriber?: RedisClient;
  private subscribed = false;

  constructor(
    private readonly publisher: RedisClient,
    private readonly openSubscriber: () => RedisClient,
    private readonly namespace: string,
  ) {}

  subscribe(address: string, listener: (payload: string) => void): Promise<void> {
    const subscriber = this.openSubscriber();
    this.subscriber = subscriber;
    subscriber.on('message', (_channel: string, payload: string) => {
      listener(payload);
    });
    subscriber.on('close', () => {
      this.subscribed = false;
    });
    return new Promise((resolve, reject) => {
      subscriber.once('end', () => {
        reject(new Error('The connection for replies was closed'));
      });
      subscriber.on('ready', () => {
        subscriber.subscribe(this.channel(address)).then(
          () => {
            this.subscribed = true;
            resolve();
          },
          (error: unknown) => {
            // Otherwise the connection was lost; `subscribe` runs again when it is ready.
            if (subscriber.status === 'ready')
              reject(new Error('Could not subscribe to replies', { cause: error }));
          },
        );
      });
    });
  }

  get listening(): boolean {
    return this.subscribed;
  }

  async publish(address: string, payload: string): Promise<void> {
    await this.publisher.publish(this.channel(address), payload);
  }

  close(): void {
    this.subscriber?.disconnect();
  }

  private channel(address: string): string {
    return `${this.namespace}:reply:${address}`;
  }
}

/** A list lives longer than any deadline. */
const listTtlMs = 60_000;
const blockSeconds = 5;
const retryMs = 200;
const connectPollMs = 20;

/**
 * Replies on a cluster, by one list per reader. Publish and subscribe loses messages there: plain messages are forwarded
 * between nodes, and sharded subscriptions restart whenever the client refreshes its slots.
 */
export class ClusterReplyChannel implements ReplyChannel {
  private reader?: RedisClient;
  private closed = false;

  constructor(
    private readonly writer: RedisClient,
    private readonly openReader: () => RedisClient,
    private readonly namespace: string,
    private readonly failures: ThrottledErrorLog,
  ) {}

  async subscribe(address: string, listener: (payload: string) => void): Promise<void> {
    this.reader = this.openReader();
    void this.read(this.reader, this.list(address), listener);
    while (!this.listening && !this.closed) await pause(connectPollMs);
  }

  get listening(): boolean {
    return this.reader?.status === 'ready';
  }

  async publish(address: string, payload: string): Promise<void> {
    const list = this.list(address);
    await this.writer.rpush(list, payload);
    await this.writer.pexpire(list, listTtlMs);
  }

  close(): void {
    this.closed = true;
    this.reader?.disconnect();
  }

  private async read(reader: RedisClient, list: string, listener: (payload: string) => void): Promise<void> {
    while (!this.closed) {
      try {
        const popped = await reader.blpop(list, blockSeconds);
        if (popped) listener(popped[1]);
      } catch (error) {
        this.failures.report(error);
        await pause(retryMs);
      }
    }
  }

  private list(address: string): string {
    return `{${this.namespace}:reply:${address}}`;
  }
}
