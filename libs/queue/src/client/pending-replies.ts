import type { Reply } from '@gangan/protocol';

/** What happens to a request after it was sent. */
export interface ReplyListener {
  /** The reply is here; `replied` follows in the next turn of the event loop. */
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
   */
  receive(replies: readonly (readonly [id: string, reply: Reply])[]): void {
    for (const [id] of replies) this.pending.get(id)?.listener.arrived();
    setImmediate(() => {
      for (const [id, reply] of replies) {
        const pending = this.pending.get(id);
        this.forget(id);
        pending?.listener.replied(reply);
      }
    });
  }

  /** Ends all that wait now after this time, unless their replies arrive before. */
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
