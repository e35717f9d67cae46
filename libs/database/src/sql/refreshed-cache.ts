import { boundedCache, newContext, runInContext } from '@gangan/protocol';
import type { LRUCache } from 'lru-cache';

const maxValues = 10_000;

/**
 * Values by key. They are read again in the background when half of their time has passed, so that a busy key never waits.
 * Concurrent callers share one read.
 */
export class RefreshedCache<Value extends object> {
  private readonly cache: LRUCache<string, Value>;

  constructor(
    private readonly ttlMs: number,
    readValue: (key: string) => Promise<Value>,
  ) {
    this.cache = boundedCache<Value>(maxValues, {
      ttl: ttlMs,
      ttlResolution: 0,
      perf: { now: () => performance.now() },
      fetchMethod: readValue,
    });
  }

  async get(key: string): Promise<Value> {
    return this.cached(key) ?? this.read(key);
  }

  /** Returns the value; one that is older than `maxAgeMs` is read again. */
  async getRecent(key: string, maxAgeMs: number): Promise<Value> {
    const ageMs = this.ttlMs - this.cache.getRemainingTTL(key);
    return (ageMs <= maxAgeMs ? this.cache.get(key) : undefined) ?? this.read(key);
  }

  cached(key: string): Value | undefined {
    const cached = this.cache.get(key);
    const leftMs = this.cache.getRemainingTTL(key);
    if (!cached || leftMs <= 0) return undefined;
    if (leftMs <= this.ttlMs / 2) this.refresh(key);
    return cached;
  }

  private read(key: string): Promise<Value> {
    return this.cache.forceFetch(key, { forceRefresh: true });
  }

  /** Reads the value outside the batch, whose members do not wait for it. A failure shows when the value has expired. */
  private refresh(key: string): void {
    runInContext(newContext(), () => {
      this.cache.fetch(key, { forceRefresh: true }).catch(() => undefined);
    });
  }
}
