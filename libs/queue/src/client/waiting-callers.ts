import type { Reply } from '@gangan/protocol';

/** What happens to a request, told to whoever waits for its answer. */
export interface Fate {
  /** The worker has got to its job: the answer is here, and told in a moment. */
  arrived(): void;
  answered(reply: Reply): void;
  /** No answer came in time. */
  gaveUp(): void;
}

interface Caller {
  readonly fate: Fate;
  readonly timer: NodeJS.Timeout;
}

/** The callers that wait for an answer, by the id their request travels under. Each is called back once. */
export class WaitingCallers {
  private readonly callers = new Map<string, Caller>();

  add(id: string, waitMs: number, fate: Fate): void {
    const timer = setTimeout(() => {
      this.callers.delete(id);
      fate.gaveUp();
    }, waitMs);
    this.callers.set(id, { fate, timer });
  }

  /**
   * An answer nobody waits for any more is dropped. What the arrivals make room for leaves before the callers are told:
   * the worker has it in hand while their answers are being written.
   */
  answer(replies: readonly (readonly [id: string, reply: Reply])[]): void {
    for (const [id] of replies) this.callers.get(id)?.fate.arrived();
    setImmediate(() => {
      for (const [id, reply] of replies) {
        const caller = this.callers.get(id);
        this.forget(id);
        caller?.fate.answered(reply);
      }
    });
  }

  forget(id: string): void {
    const caller = this.callers.get(id);
    if (!caller) return;
    clearTimeout(caller.timer);
    this.callers.delete(id);
  }
}
