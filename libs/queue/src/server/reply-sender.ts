import { setTimeout as pause } from 'node:timers/promises';
import type { ReplyChannel } from '../backends/backend.js';
import type { QueueLogger } from '../observer.js';
import type { Codec, PackedReply } from '../wire/codec.js';

interface ReplyGroup {
  readonly replies: PackedReply[];
  deadline: number;
}

const retryMs = 200;

/** Sends replies as they come, those of one turn of the event loop together, and none after its deadline. */
export class ReplySender {
  private readonly groups = new Map<string, ReplyGroup>();
  private readonly sending = new Set<Promise<void>>();

  constructor(
    private readonly channel: ReplyChannel,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
  ) {}

  send(address: string, reply: PackedReply, deadline: number): void {
    const open = this.groups.get(address);
    if (open) {
      open.replies.push(reply);
      open.deadline = Math.max(open.deadline, deadline);
      return;
    }
    this.groups.set(address, { replies: [reply], deadline });
    setImmediate(() => {
      this.flush(address);
    });
  }

  /** Sends the replies for this address at once. */
  flush(address: string): void {
    const group = this.groups.get(address);
    if (!group) return;
    this.groups.delete(address);
    const sending = this.publish(address, group);
    this.sending.add(sending);
    void sending.finally(() => this.sending.delete(sending));
  }

  /** Resolves when every reply was sent, or its deadline has passed. */
  async settled(): Promise<void> {
    for (const address of this.groups.keys()) this.flush(address);
    await Promise.all(this.sending);
  }

  private async publish(address: string, { replies, deadline }: ReplyGroup): Promise<void> {
    const payload = this.codec.sealReplies(address, replies);
    for (;;) {
      try {
        await this.channel.publish(address, payload);
        return;
      } catch (error) {
        if (Date.now() + retryMs > deadline) {
          this.logger.warn(
            { replies: replies.length, reason: String(error) },
            'replies could not be sent in time',
          );
          return;
        }
        await pause(retryMs);
      }
    }
  }
}
