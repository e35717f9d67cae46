import { Child, type ChildOptions } from './child.js';

/** What a bench has started. It is closed at the end, also after a failure or an interrupt. */
export class Resources {
  private readonly ends: (() => Promise<unknown>)[] = [];
  private readonly closing = new AbortController();
  private closed?: Promise<void>;

  /** Is aborted when they are closed. */
  get signal(): AbortSignal {
    return this.closing.signal;
  }

  /** Starts a script, and waits until it is ready. */
  fork(script: URL, options: ChildOptions = {}): Promise<Child> {
    const child = new Child(script, options);
    this.atEnd(() => child.stop());
    return child.untilReady();
  }

  /** Registers a clean-up. The last one runs first. */
  atEnd(end: () => Promise<unknown>): void {
    this.ends.push(end);
  }

  /** Can be called twice: after a failure, and by an interrupt. */
  close(): Promise<void> {
    this.closing.abort();
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    for (let end = this.ends.pop(); end; end = this.ends.pop()) await end();
  }
}
