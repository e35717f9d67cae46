import type { Reply } from '@gangan/protocol';

interface Caller {
  readonly answer: (reply: Reply) => void;
  readonly timer: NodeJS.Timeout;
}

/** The callers that wait for an answer, by the id their request travels under. Each is called back once. */
export class WaitingCallers {
  private readonly callers = new Map<string, Caller>();

  add(id: string, waitMs: number, answer: (reply: Reply) => void, giveUp: () => void): void {
    const timer = setTimeout(() => {
      this.callers.delete(id);
      giveUp();
    }, waitMs);
    this.callers.set(id, { answer, timer });
  }

  /** An answer nobody waits for any more is dropped. */
  answer(id: string, reply: Reply): void {
    const caller = this.callers.get(id);
    if (!caller) return;
    this.forget(id);
    caller.answer(reply);
  }

  forget(id: string): void {
    const caller = this.callers.get(id);
    if (!caller) return;
    clearTimeout(caller.timer);
    this.callers.delete(id);
  }
}
