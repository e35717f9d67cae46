import type { Queues } from '@gangan/queue';
import { firstValueFrom } from 'rxjs';
import { echo, type EchoReply, shout } from './contracts.js';

/** Sends requests to the workers of a test. */
export class EchoClient {
  constructor(private readonly queues: Queues) {}

  say(text: string, afterMs = 0): Promise<EchoReply> {
    return firstValueFrom(this.queues.client.send(echo, { text, afterMs }));
  }

  shout(text: string, afterMs = 0): Promise<EchoReply> {
    return firstValueFrom(this.queues.client.send(shout, { text, afterMs }));
  }

  /** For a reply that will not come; returns a function that stops waiting for it. */
  sendWithoutReply(text: string, afterMs: number): () => void {
    const waiting = this.queues.client.send(echo, { text, afterMs }).subscribe({ error: () => undefined });
    return () => {
      waiting.unsubscribe();
    };
  }

  async close(): Promise<void> {
    await this.queues.client.close();
    await this.queues.close();
  }
}
