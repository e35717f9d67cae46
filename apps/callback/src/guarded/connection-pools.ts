import { LRUCache } from 'lru-cache';
import { type buildConnector, Pool } from 'undici';

export interface ConnectionPoolLimits {
  readonly maxOrigins: number;
  readonly idleMs: number;
}

/**
 * Kept-alive connections, by origin. A pool has no maximum: otherwise attempts of one organisation would wait for those
 * of another. The least recently used pool is closed when there are too many; its requests in flight are finished.
 */
export class ConnectionPools {
  private readonly pools: LRUCache<string, Pool>;

  constructor(
    private readonly connect: buildConnector.connector,
    private readonly limits: ConnectionPoolLimits,
  ) {
    this.pools = new LRUCache({
      max: limits.maxOrigins,
      dispose: (pool, _origin, reason) => {
        if (reason === 'evict') void pool.close();
      },
    });
  }

  forOrigin(origin: string): Pool {
    const known = this.pools.get(origin);
    if (known) return known;
    const pool = this.open(origin);
    this.pools.set(origin, pool);
    return pool;
  }

  get size(): number {
    return this.pools.size;
  }

  /** Cuts off requests in flight. */
  async close(): Promise<void> {
    const pools = [...this.pools.values()];
    this.pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private open(origin: string): Pool {
    return new Pool(origin, {
      connect: this.connect,
      keepAliveTimeout: this.limits.idleMs,
      keepAliveMaxTimeout: this.limits.idleMs,
      // The whole attempt has one timeout.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}
