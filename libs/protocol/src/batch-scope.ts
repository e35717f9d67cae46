/**
 * The members of one batch that run the same operation at the same time.
 *
 * Whoever shares work between them (one SQL statement instead of many) needs to know when nobody else
 * can still arrive: when as many have arrived as are living.
 */
export class BatchScope {
  private readonly watchers = new Set<() => void>();

  constructor(private members: number) {}

  /** Members that have not finished yet. */
  get living(): number {
    return this.members;
  }

  /** Called once by each member when it has finished, whatever its outcome. */
  leave(): void {
    this.members -= 1;
    for (const watcher of [...this.watchers]) watcher();
  }

  /** Calls back whenever a member leaves; returns the way to stop. */
  onLeave(watcher: () => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}
