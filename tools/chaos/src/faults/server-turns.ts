/** Faults of the same server wait for each other: it is never started twice. */
export class ServerTurns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work for the server has ended; at once without a server. */
  take<T>(server: string | undefined, work: () => Promise<T>): Promise<T> {
    if (server === undefined) return work();
    const turn = (this.last.get(server) ?? Promise.resolve()).then(work);
    this.last.set(
      server,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
