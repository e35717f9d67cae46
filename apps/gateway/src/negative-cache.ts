import { boundedCache } from '@gangan/protocol';
import type { LRUCache } from 'lru-cache';

/**
 * Caches lookups, including those that found nothing. Concurrent lookups of the same key share one fetch. Hits and
 * misses are stored separately, so that invented keys cannot evict real ones.
 */
export class NegativeCache<T extends object | string> {
  private readonly hits: LRUCache<string, T>;
  private readonly misses: LRUCache<string, true>;
  private readonly inFlight = new Map<string, Promise<T | undefined>>();

  constructor(
    readonly ttlMs: number,
    max: number,
    private readonly clock: { now(): number } = performance,
  ) {
    const options = { ttl: ttlMs, perf: clock, ttlResolution: 0 };
    this.hits = boundedCache<T>(max, options);
    this.misses = boundedCache<true>(max, options);
  }

  /** The cached value; undefined if there is none, or if nothing was found. */
  getHit(key: string): T | undefined {
    return this.hits.get(key);
  }

  /** Whether nothing was found a short time ago. */
  hasMiss(key: string): boolean {
    return this.misses.has(key);
  }

  async get(key: string, fetch: () => Promise<T | undefined>): Promise<T | undefined> {
    const hit = this.hits.get(key);
    if (hit) return hit;
    if (this.misses.has(key)) return undefined;
    return this.inFlight.get(key) ?? this.fetch(key, fetch);
  }

  /** The age of an entry counts from the start of its fetch: a change during the fetch must not be hidden for longer. */
  private fetch(key: string, fetch: () => Promise<T | undefined>): Promise<T | undefined> {
    const start = this.clock.now();
    const fetched = fetch()
      .then((value) => {
        if (value) this.hits.set(key, value, { start });
        else this.misses.set(key, true, { start });
        return value;
      })
      .finally(() => this.inFlight.delete(key));
    this.inFlight.set(key, fetched);
    return fetched;
  }
}
