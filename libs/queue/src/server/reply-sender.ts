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
    this.parcels.set(address, { replies: [reply], deadline });
    setImmediate(() => {
      this.flush(address);
    });
  }

  /** What has come for this address leaves at once. */
  flush(address: string): void {
    const parcel = this.parcels.get(address);
    if (!parcel) return;
    this.parcels.delete(address);
    const leaving = this.publish(address, parcel);
    this.leaving.add(leaving);
    void leaving.finally(() => this.leaving.delete(leaving));
  }

  /** Resolves when every answer given to it has left, or is no longer worth sending. */
  async settled(): Promise<void> {
    for (const address of this.parcels.keys()) this.flush(address);
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
