import type { Reply } from '@gangan/protocol';
import type { Lane } from '../lane.js';

/** What happens to a request after it was sent. */
export interface ReplyListener {
  /** The lane through which the request was sent; only workers of this lane may reply. */
  readonly lane: Lane;
  /** Called when the reply is here; `replied` follows in the next turn of the event loop. */
  arrived(): void;
  replied(reply: Reply): void;
  timedOut(): void;
}

interface Pending {
  readonly listener: ReplyListener;
  readonly timer: NodeJS.Timeout;
}

/** The requests that wait for a reply, by id. Each gets one reply or times out. */
export class PendingReplies {
  private readonly pending = new Map<string, Pending>();

  add(id: string, timeoutMs: number, listener: ReplyListener): void {
    const timer = setTimeout(() => {
      this.pending.delete(id);
      listener.timedOut();
    }, timeoutMs);
    this.pending.set(id, { listener, timer });
  }

  /**
   * Drops replies that no request waits for. Arrivals free slots first, so that the next batch leaves before the replies are
   * passed on: the worker can start it while the responses are being written.
   * @param lane whose workers have sealed the replies
   * @returns how many were dropped because their request was sent to another lane
   */
  receive(lane: string, replies: readonly (readonly [id: string, reply: Reply])[]): number {
    const isOfLane = (id: string): boolean => this.pending.get(id)?.listener.lane.name === lane;
    const accepted = replies.filter(([id]) => isOfLane(id));
    for (const [id] of accepted) this.pending.get(id)?.listener.arrived();
    setImmediate(() => {
      for (const [id, reply] of accepted) {
        const pending = this.pending.get(id);
        this.forget(id);
        pending?.listener.replied(reply);
      }
    });
    return replies.filter(([id]) => this.pending.has(id) && !isOfLane(id)).length;
  }

  /** Ends all requests that wait now after this time, unless their replies arrive before. */
  timeOutAfter(timeoutMs: number): void {
    const waiting = [...this.pending];
    setTimeout(() => {
      for (const [id, pending] of waiting) {
        if (this.pending.get(id) !== pending) continue;
        this.forget(id);
        pending.listener.timedOut();
      }
    }, timeoutMs).unref();
  }

  forget(id: string): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    clearTimeout(pending.timer);
    this.pending.delete(id);
  }
}
