import { setTimeout as pause } from 'node:timers/promises';
import type { ReplyChannel } from '../backends/backend.js';
import type { QueueLogger } from '../observer.js';
import type { Codec, PackedReply } from '../wire/codec.js';

interface Parcel {
  replies: PackedReply[];
  deadline: number;
  sent: Promise<void>;
}

const RETRY_MS = 200;

/** Sends answers as they come, those of one turn of the event loop together, and never later than anybody waits. */
export class ReplySender {
  private readonly parcels = new Map<string, Parcel>();

  constructor(
    private readonly channel: ReplyChannel,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
  ) {}

  /** Resolves when the answer has left, or is no longer worth sending. */
  send(address: string, reply: PackedReply, deadline: number): Promise<void> {
    const open = this.parcels.get(address);
    if (open) {
      open.replies.push(reply);
      open.deadline = Math.max(open.deadline, deadline);
      return open.sent;
    }
    const sent = new Promise<void>((resolve) => {
      setImmediate(() => {
        const parcel = this.parcels.get(address);
        this.parcels.delete(address);
        resolve(parcel && this.publish(address, parcel));
      });
    });
    this.parcels.set(address, { replies: [reply], deadline, sent });
    return sent;
  }

  private async publish(address: string, { replies, deadline }: Parcel): Promise<void> {
    const payload = this.codec.sealReplies(address, replies);
    for (;;) {
      try {
        await this.channel.publish(address, payload);
        return;
      } catch (error) {
        if (Date.now() + RETRY_MS > deadline) {
          this.logger.warn(
            { answers: replies.length, reason: String(error) },
            'answers could not be sent in time',
          );
          return;
        }
        await pause(RETRY_MS);
      }
    }
  }
}
