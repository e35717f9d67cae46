import { setTimeout as pause } from 'node:timers/promises';
import type { ReplyChannel } from '../backends/backend.js';
import type { QueueLogger } from '../observer.js';
import type { Codec, PackedReply, ReplyTarget } from '../wire/codec.js';

interface ReplyGroup {
  readonly target: ReplyTarget;
  readonly replies: PackedReply[];
  deadline: number;
}

const retryMs = 200;

/** A process may wait for replies from several lanes at one address; each lane has keys of its own. */
const keyOf = ({ sender, lane, replyTo }: ReplyTarget): string => `${sender} ${lane} ${replyTo}`;

/** Sends the replies of one turn of the event loop together. A reply whose deadline has passed is not sent. */
export class ReplySender {
  private readonly groups = new Map<string, ReplyGroup>();
  private readonly sending = new Set<Promise<void>>();

  constructor(
    private readonly channel: ReplyChannel,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
  ) {}

  send(target: ReplyTarget, reply: PackedReply, deadline: number): void {
    const key = keyOf(target);
    const open = this.groups.get(key);
    if (open) {
      open.replies.push(reply);
      open.deadline = Math.max(open.deadline, deadline);
      return;
    }
    this.groups.set(key, { target, replies: [reply], deadline });
    setImmediate(() => {
      this.flush(target);
    });
  }

  flush(target: ReplyTarget): void {
    const key = keyOf(target);
    const group = this.groups.get(key);
    if (!group) return;
    this.groups.delete(key);
    const sending = this.publish(group);
    this.sending.add(sending);
    void sending.finally(() => this.sending.delete(sending));
  }

  /** Resolves when every reply was sent, or its deadline has passed. */
  async idle(): Promise<void> {
    for (const { target } of this.groups.values()) this.flush(target);
    await Promise.all(this.sending);
  }

  private async publish({ target, replies, deadline }: ReplyGroup): Promise<void> {
    const payload = this.codec.sealReplies(target, replies);
    for (;;) {
      try {
        await this.channel.publish(target.replyTo, payload);
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
