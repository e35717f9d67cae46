import { setTimeout as pause } from 'node:timers/promises';
import { Consumer } from './consumer.js';

/** Consumers that take everything and count it, by `webhook-id`. */
export class Catcher {
  /** The bodies that came under each id. */
  readonly caught = new Map<string, string[]>();

  private constructor(private readonly consumers: readonly Consumer[]) {}

  static async start(hosts: number): Promise<Catcher> {
    const consumers: Consumer[] = [];
    const catcher = new Catcher(consumers);
    for (let count = 0; count < hosts; count++) {
      const consumer = await Consumer.start((_request, response) => {
        const seen = consumer.seen.pop();
        if (seen) catcher.note(String(seen.headers['webhook-id']), seen.body);
        void pause(5).then(() => response.end());
      });
      consumers.push(consumer);
    }
    return catcher;
  }

  urlOf(turn: number): string {
    return `http://127.0.0.1:${this.consumers[turn % this.consumers.length]?.port ?? 0}/`;
  }

  async stop(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
  }

  private note(id: string, body: string): void {
    this.caught.set(id, [...(this.caught.get(id) ?? []), body]);
  }
}
