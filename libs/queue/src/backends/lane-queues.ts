import { runWithoutContext } from '@gangan/protocol';
import type { LaneQueue } from './backend.js';

/**
 * The producers of this process, by lane. BullMQ never recovers from a failed first connection, so a queue is kept only once
 * it has connected; concurrent calls share the attempt.
 */
export class LaneQueues<Q extends LaneQueue & { waitUntilReady(): Promise<unknown> }> {
  private readonly opened = new Map<string, Promise<Q>>();

  constructor(private readonly make: (lane: string) => Q | Promise<Q>) {}

  get(lane: string): Promise<Q> {
    let queue = this.opened.get(lane);
    if (!queue) {
      queue = runWithoutContext(() => this.open(lane));
      this.opened.set(lane, queue);
      queue.catch(() => this.opened.delete(lane));
    }
    return queue;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.opened.values()].map(async (queue) => (await queue).close()));
  }

  private async open(lane: string): Promise<Q> {
    const queue = await this.make(lane);
    try {
      await queue.waitUntilReady();
      return queue;
    } catch (error) {
      await queue.close().catch(() => undefined);
      throw error;
    }
  }
}
