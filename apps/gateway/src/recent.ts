interface Remembered<T> {
  readonly value: T;
  readonly until: number;
}

/**
 * Remembers for a moment what was looked up, and also that nothing was found. Who asks for the same while it is
 * being fetched shares the fetch. Finds and misses have separate rooms: made-up keys push out only one another.
 */
export class Recent<T extends object> {
  private readonly finds = new Map<string, Remembered<T>>();
  private readonly misses = new Map<string, Remembered<undefined>>();
  private readonly fetching = new Map<string, Promise<T | undefined>>();

  constructor(
    readonly memoryMs: number,
    private readonly room: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async get(key: string, fetch: () => Promise<T | undefined>): Promise<T | undefined> {
    const known = this.finds.get(key) ?? this.misses.get(key);
    if (known && known.until > this.now()) return known.value;
    const underway = this.fetching.get(key) ?? this.fetch(key, fetch);
    return underway;
  }

  private fetch(key: string, fetch: () => Promise<T | undefined>): Promise<T | undefined> {
    // From before the fetch: what changes while it runs must not be believed any longer than what changes after it.
    const until = this.now() + this.memoryMs;
    const fetched = fetch()
      .then((value) => {
        this.remember(key, value, until);
        return value;
      })
      .finally(() => this.fetching.delete(key));
    this.fetching.set(key, fetched);
    return fetched;
  }

  private remember(key: string, value: T | undefined, until: number): void {
    this.finds.delete(key);
    this.misses.delete(key);
    if (value) put(this.finds, key, { value, until }, this.room);
    else put(this.misses, key, { value: undefined, until }, this.room);
  }
}

function put<V>(entries: Map<string, V>, key: string, entry: V, room: number): void {
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > room && oldest !== undefined) entries.delete(oldest);
}
