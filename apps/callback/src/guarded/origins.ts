import { type buildConnector, Pool } from 'undici';

export interface OriginLimits {
  /** Hosts whose connections are kept; the one that was longest not used makes room. */
  readonly origins: number;
  readonly idleMs: number;
}

/** Kept-alive connections, by origin; as many of each as are needed at once, or those of one would wait for others'. */
export class Origins {
  private readonly pools = new Map<string, Pool>();

  constructor(
    private readonly connect: buildConnector.connector,
    private readonly limits: OriginLimits,
  ) {}

  of(origin: string): Pool {
    const pool = this.pools.get(origin) ?? this.open(origin);
    // A map keeps its order, so the first is always the one that was longest not used.
    this.pools.delete(origin);
    this.pools.set(origin, pool);
    this.makeRoom();
    return pool;
  }

  get size(): number {
    return this.pools.size;
  }

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
      // The time of an attempt is kept by whoever makes it, as a whole.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** What is under way on an old connection is finished before it closes. */
  private makeRoom(): void {
    for (const [origin, pool] of this.pools) {
      if (this.pools.size <= this.limits.origins) return;
      this.pools.delete(origin);
      void pool.close();
    }
  }
}
