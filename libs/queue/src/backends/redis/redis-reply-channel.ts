import type { Cluster, Redis } from 'ioredis';
import type { ReplyChannel } from '../backend.js';
import type { RedisClient } from './redis-url.js';

/**
 * Answers by publish and subscribe: nothing is stored, and ioredis subscribes again by itself. On a cluster the
 * sharded kind is used (Redis 7): the plain kind is passed on between nodes, and is lost when they fall out.
 */
export class RedisReplyChannel implements ReplyChannel {
  private subscriber?: RedisClient;

  constructor(
    private readonly publisher: RedisClient,
    private readonly openSubscriber: () => RedisClient,
    private readonly namespace: string,
  ) {}

  async subscribe(address: string, listener: (payload: string) => void): Promise<void> {
    const client = this.openSubscriber();
    this.subscriber = client;
    const hear = (_channel: string, payload: string): void => {
      listener(payload);
    };
    client.on('message', hear);
    client.on('smessage', hear);
    if (isCluster(client)) await client.ssubscribe(this.channel(address));
    else await client.subscribe(this.channel(address));
  }

  async publish(address: string, payload: string): Promise<void> {
    if (isCluster(this.publisher)) await this.publisher.spublish(this.channel(address), payload);
    else await this.publisher.publish(this.channel(address), payload);
  }

  close(): void {
    this.subscriber?.disconnect();
  }

  private channel(address: string): string {
    return `${this.namespace}:reply:${address}`;
  }
}

const isCluster = (client: Cluster | Redis): client is Cluster => client.isCluster;
