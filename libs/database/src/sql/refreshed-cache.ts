import { newContext, runInContext } from '@gangan/protocol';
import { LRUCache } from 'lru-cache';

const maxValues = 10_000;

/**
 * Values by key. They are read again in the background when half of their time has passed, so that a busy key never waits.
 * Concurrent callers share one read.
 */
export class RefreshedCache<Value extends object> {
  /** The cache is created when it is first used: it allocates the space for all its values, which takes milliseconds. */
  private created: LRUCache<string, Value> | undefined;

  constructor(
    private readonly ttlMs: number,
    private readonly readValue: (key: string) => Promise<Value>,
  ) {}

  async get(key: string): Promise<Value> {
    return this.cached(key) ?? this.read(key);
  }

  /** Returns the value; one that is older than `maxAgeMs` is read again. */
  async getRecent(key: string, maxAgeMs: number): Promise<Value> {
    const ageMs = this.ttlMs - this.cache.getRemainingTTL(key);
    return (ageMs <= maxAgeMs ? this.cache.get(key) : undefined) ?? this.read(key);
  }

  /** Returns the value if it is cached; undefined if it has to be read. */
  cached(key: string): Value | undefined {
    const cached = this.cache.get(key);
    const leftMs = this.cache.getRemainingTTL(key);
    if (!cached || leftMs <= 0) return undefined;
    if (leftMs <= this.ttlMs / 2) this.refresh(key);
    return cached;
  }

  private get cache(): LRUCache<string, Value> {
    return (this.created ??= new LRUCache<string, Value>({
      max: maxValues,
      ttl: this.ttlMs,
      ttlResolution: 0,
      perf: { now: () => performance.now() },
      fetchMethod: this.readValue,
    }));
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
