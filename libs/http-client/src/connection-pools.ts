import { LRUCache } from 'lru-cache';
import { type buildConnector, Pool } from 'undici';

/**
 * Kept-alive connections, by origin. A pool has no maximum: otherwise attempts of one organisation would wait for those
 * of another. The least recently used pool is closed when there are too many; its requests in flight are finished.
 */
export class ConnectionPools {
  private readonly pools: LRUCache<string, Pool>;

  constructor(
    connect: buildConnector.connector,
    { maxOrigins: max, idleMs }: Record<'maxOrigins' | 'idleMs', number>,
  ) {
    const timeouts = {
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.pools = new LRUCache({
      max,
      // The whole attempt has one timeout, so headers and body have none of their own.
      memoMethod: (origin) => new Pool(origin, { connect, ...timeouts }),
      dispose: (pool, _origin, reason) => {
        if (reason === 'evict') void pool.close();
      },
    });
  }

  forOrigin(origin: string): Pool {
    return this.pools.memo(origin);
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
}
