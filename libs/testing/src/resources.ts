/** What a tool has started. It is closed at the end, also after a failure or an interrupt. */
export class Resources {
  private readonly ends: (() => unknown)[] = [];
  private closed?: Promise<void>;

  /** Registers a clean-up. The last one runs first. */
  atEnd(end: () => unknown): void {
    this.ends.push(end);
  }

  /** Stops a server at the end. */
  keep<T extends { stop(): Promise<unknown> }>(server: T): T {
    this.atEnd(() => server.stop());
    return server;
  }

  /** Can be called twice: after a failure, and by an interrupt. */
  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    for (let end = this.ends.pop(); end; end = this.ends.pop()) await end();
  }
}
