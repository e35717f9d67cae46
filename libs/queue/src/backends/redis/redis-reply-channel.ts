import type { Redis } from 'ioredis';
import type { ReplyChannel } from '../backend.js';

/** Answers by publish and subscribe: nothing is stored, and ioredis subscribes again by itself. */
export class RedisReplyChannel implements ReplyChannel {
  private subscriber?: Redis;
  private subscribed = false;

  constructor(
    private readonly publisher: Redis,
    private readonly openSubscriber: () => Redis,
    private readonly namespace: string,
  ) {}

  async subscribe(address: string, listener: (payload: string) => void): Promise<void> {
    this.subscriber = this.openSubscriber();
    this.subscriber.on('message', (_channel: string, payload: string) => {
      listener(payload);
    });
    await this.subscriber.subscribe(this.channel(address));
    this.subscribed = true;
  }

  get listening(): boolean {
    return this.subscribed && this.subscriber?.status === 'ready';
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
