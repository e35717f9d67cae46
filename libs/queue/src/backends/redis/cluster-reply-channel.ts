import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from 'ioredis';
import type { ReplyChannel } from '../backend.js';
import type { QuietReporter } from '../report-errors.js';

/** Longer than any caller waits: an answer that lies for longer is for nobody. */
const KEPT_MS = 60_000;
const BLOCK_SECONDS = 5;
const RETRY_MS = 200;
const CONNECT_POLL_MS = 20;

/**
 * Answers on a cluster, by a list per reader. Publish and subscribe loses messages there: the plain kind is handed on
 * between nodes, the sharded kind starts anew whenever the client looks at the slots again.
 */
export class ClusterReplyChannel implements ReplyChannel {
  private reader?: Cluster;
  private closed = false;

  constructor(
    private readonly writer: Cluster,
    private readonly openReader: () => Cluster,
    private readonly namespace: string,
    private readonly failures: QuietReporter,
  ) {}

  async subscribe(address: string, listener: (payload: string) => void): Promise<void> {
    this.reader = this.openReader();
    void this.read(this.reader, this.list(address), listener);
    while (!this.listening && !this.closed) await pause(CONNECT_POLL_MS);
  }

  get listening(): boolean {
    return this.reader?.status === 'ready';
  }

  async publish(address: string, payload: string): Promise<void> {
    const list = this.list(address);
    await this.writer.rpush(list, payload);
    await this.writer.pexpire(list, KEPT_MS);
  }

  close(): void {
    this.closed = true;
    this.reader?.disconnect();
  }

  private async read(reader: Cluster, list: string, listener: (payload: string) => void): Promise<void> {
    while (!this.closed) {
      try {
        const popped = await reader.blpop(list, BLOCK_SECONDS);
        if (popped) listener(popped[1]);
      } catch (error) {
        this.failures.report(error);
        await pause(RETRY_MS);
      }
    }
  }

  private list(address: string): string {
    return `{${this.namespace}:reply:${address}}`;
  }
}
