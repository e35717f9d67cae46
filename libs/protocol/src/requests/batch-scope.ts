/**
 * The members of one batch that run the same operation at the same time. Work that several members share (one SQL
 * statement instead of many) can start as soon as every unfinished member has asked for it.
 */
export class BatchScope {
  private readonly listeners = new Set<() => void>();

  constructor(private members: number) {}

  /** The number of members that have not finished. */
  get unfinished(): number {
    return this.members;
  }

  /** Called once by each member when it has succeeded or failed. */
  memberFinished(): void {
    this.members -= 1;
    for (const listener of [...this.listeners]) listener();
  }

  /** Calls `listener` each time a member finishes. Returns a function that removes the listener. */
  onMemberFinished(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
