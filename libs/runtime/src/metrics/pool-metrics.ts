import type { PoolUse } from '@gangan/protocol';
import { Gauge, type Registry } from 'prom-client';

/** Measures the pools of database connections of a process at each scrape. */
export function measurePools(
  registry: Registry,
  pools: Readonly<Record<string, () => PoolUse | undefined>>,
): void {
  const gauge = (name: string, help: string, read: (use: PoolUse) => number): void => {
    const created = new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect: () => {
        for (const [pool, use] of Object.entries(pools)) {
          const current = use();
          if (current) created.set({ pool }, read(current));
        }
      },
    });
  };
  gauge('gangan_database_pool_max', 'Database connections that a pool may open', ({ max }) => max);
  gauge('gangan_database_pool_size', 'Open database connections of a pool', ({ size }) => size);
  gauge('gangan_database_pool_idle', 'Open database connections that are not in use', ({ idle }) => idle);
  gauge('gangan_database_pool_waiting', 'Callers that wait for a connection', ({ waiting }) => waiting);
}
