interface Line<T> {
  readonly items: Map<unknown, T>;
  /** Kept from call to call: a new iterator would pass everything that was removed since the map last shrank. */
  readonly oldest: Iterator<T>;
}

/**
 * A queue in which keys, usually organisations, take turns: the oldest item of each key comes first, then the next of each.
 * So one key with many items does not delay another. An item is in the queue once.
 *
 * ```ts
 * const hosts = new TurnQueue<Host>((host) => host.organisationId, hostKey);
 * for (const host of due) hosts.add(host);
 * for (const host of hosts.take(slots.free, (organisationId) => slots.freeFor(organisationId))) start(host);
 * ```
 */
export class TurnQueue<T> {
  /** The key whose turn is next comes first. */
  private readonly lines = new Map<string, Line<T>>();

  constructor(
    private readonly keyOf: (item: T) => string,
    /** By default, two items are the same only if they are one object. */
    private readonly idOf: (item: T) => unknown = (item) => item,
  ) {}

  get isEmpty(): boolean {
    return this.lines.size === 0;
  }

  keys(): Iterable<string> {
    return this.lines.keys();
  }

  count(key: string): number {
    return this.lines.get(key)?.items.size ?? 0;
  }

  has(item: T): boolean {
    return this.lines.get(this.keyOf(item))?.items.has(this.idOf(item)) ?? false;
  }

  add(item: T): void {
    const key = this.keyOf(item);
    const line = this.lines.get(key);
    if (line) line.items.set(this.idOf(item), item);
    else {
      const items = new Map([[this.idOf(item), item]]);
      this.lines.set(key, { items, oldest: items.values() });
    }
  }

  delete(item: T): void {
    const key = this.keyOf(item);
    const items = this.lines.get(key)?.items;
    if (items?.delete(this.idOf(item)) && items.size === 0) this.lines.delete(key);
  }

  /** Removes and returns up to `max` items, `maxOf` of each key. The next call continues with the key whose turn is next. */
  take(max: number, maxOf: (key: string) => number = () => max): T[] {
    const taken: T[] = [];
    const takenOf = new Map<string, number>();
    // A key that is set again moves to the end, where this loop finds it again.
    for (const [key, line] of this.lines) {
      if (taken.length >= max) break;
      const own = takenOf.get(key) ?? 0;
      if (own >= maxOf(key)) continue;
      const item = line.oldest.next().value as T;
      this.lines.delete(key);
      line.items.delete(this.idOf(item));
      if (line.items.size > 0) this.lines.set(key, line);
      takenOf.set(key, own + 1);
      taken.push(item);
    }
    return taken;
  }
}
