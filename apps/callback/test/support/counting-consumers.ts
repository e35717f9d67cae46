import { setTimeout as delay } from 'node:timers/promises';
import { CallbackConsumer } from '@gangan/testing';

/** Consumers that accept every callback and record it by `webhook-id`. */
export class CountingConsumers {
  /** The bodies received under each id. */
  readonly received = new Map<string, string[]>();

  private constructor(private readonly consumers: readonly CallbackConsumer[]) {}

  static async start(hosts: number): Promise<CountingConsumers> {
    const consumers: CallbackConsumer[] = [];
    const counting = new CountingConsumers(consumers);
    for (let count = 0; count < hosts; count++) {
      const consumer = await CallbackConsumer.start((_request, response) => {
        const seen = consumer.seen.pop();
        if (seen) counting.record(String(seen.headers['webhook-id']), seen.body);
        void delay(5).then(() => response.end());
      });
      consumers.push(consumer);
    }
    return counting;
  }

  urlOf(turn: number): string {
    return `http://127.0.0.1:${this.consumers[turn % this.consumers.length]?.port ?? 0}/`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
  }

  private record(id: string, body: string): void {
    this.received.set(id, [...(this.received.get(id) ?? []), body]);
  }
}
