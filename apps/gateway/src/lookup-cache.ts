interface Remembered<T> {
  readonly value: T;
  readonly until: number;
}

/**
 * Caches lookups, including those that found nothing. Concurrent lookups of the same key share one fetch. Hits and misses
 * are stored apart, so that invented keys cannot evict real ones.
 */
export class LookupCache<T extends object> {
  private readonly finds = new Map<string, Remembered<T>>();
  private readonly misses = new Map<string, Remembered<undefined>>();
  private readonly fetching = new Map<string, Promise<T | undefined>>();

  constructor(
    readonly ttlMs: number,
    private readonly maxEntries: number,
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
    const until = this.now() + this.ttlMs;
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
    if (value) put(this.finds, key, { value, until }, this.maxEntries);
    else put(this.misses, key, { value: undefined, until }, this.maxEntries);
  }
}

function put<V>(entries: Map<string, V>, key: string, entry: V, room: number): void {
  entries.set(key, entry);
  const [oldest] = entries.keys();
  if (entries.size > room && oldest !== undefined) entries.delete(oldest);
}
