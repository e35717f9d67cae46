import { setTimeout as pause } from 'node:timers/promises';
import type { ReplyChannel } from '../backends/backend.js';
import type { QueueLogger } from '../observer.js';
import type { Codec, PackedReply } from '../wire/codec.js';

interface Parcel {
  readonly replies: PackedReply[];
  deadline: number;
}

const RETRY_MS = 200;

/** Sends answers as they come, those of one turn of the event loop together, and never later than anybody waits. */
export class ReplySender {
  private readonly parcels = new Map<string, Parcel>();
  private readonly leaving = new Set<Promise<void>>();

  constructor(
    private readonly channel: ReplyChannel,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
  ) {}

  send(address: string, reply: PackedReply, deadline: number): void {
    const open = this.parcels.get(address);
    if (open) {
      open.replies.push(reply);
      open.deadline = Math.max(open.deadline, deadline);
      return;
    }
    const parcel: Parcel = { replies: [reply], deadline };
    this.parcels.set(address, parcel);
    const left = new Promise<void>((resolve) => {
      setImmediate(() => {
        this.parcels.delete(address);
        resolve(this.publish(address, parcel));
      });
    });
    this.leaving.add(left);
    void left.finally(() => this.leaving.delete(left));
  }

  /** Resolves when every answer given to it has left, or is no longer worth sending. */
  async settled(): Promise<void> {
    await Promise.all(this.leaving);
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
