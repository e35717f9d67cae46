import { type AppSpec } from './apps.js';
import { StartError } from './start-error.js';

export interface PoolSizes {
  readonly database: number;
  readonly queue: number;
}

/** Kept free for people and tools: psql, migrations, backups. */
const reserve = 5;

/** With the queue in Postgres, every process may hold one more, outside its pools, on which replies arrive. */
const replyChannel = 1;

/** With the queue in Postgres, each lane of a worker (there are up to five) holds a connection of its pool. */
const least = {
  gateway: { database: 2, queue: 2 },
  worker: { database: 2, queue: 7 },
} as const;

/** Beyond these, more connections make nothing faster on a small machine. */
export const enough: PoolSizes = { database: 8, queue: 8 };

/** Shares out what the server can still take, evenly, so that no process can starve another. */
export function shareConnections(
  apps: readonly AppSpec[],
  free: number,
  queueInPostgres: boolean,
  most: PoolSizes = enough,
): Map<string, PoolSizes> {
  const pools = apps.flatMap(({ name, role }) => [
    { name, kind: 'database' as const, size: least[role].database, most: most.database },
    ...(queueInPostgres ? [{ name, kind: 'queue' as const, size: least[role].queue, most: most.queue }] : []),
  ]);
  const outsidePools = reserve + (queueInPostgres ? apps.length * replyChannel : 0);
  let left = free - outsidePools - pools.reduce((sum, { size }) => sum + size, 0);
  if (left < 0) throw tooFew(free, free - left, queueInPostgres);

  for (let grown = true; grown;) {
    grown = false;
    for (const pool of pools) {
      if (left === 0 || pool.size >= pool.most) continue;
      pool.size += 1;
      left -= 1;
      grown = true;
    }
  }
  const sizeOf = (name: string, kind: string): number =>
    pools.find((pool) => pool.name === name && pool.kind === kind)?.size ?? 1;
  return new Map(
    apps.map(({ name }) => [name, { database: sizeOf(name, 'database'), queue: sizeOf(name, 'queue') }]),
  );
}

const tooFew = (free: number, needed: number, queueInPostgres: boolean): StartError =>
  new StartError(
    `The database can take ${free} more connections, and the apps need ${needed}. ` +
      `Raise its max_connections by at least ${needed - free} and restart it` +
      (queueInPostgres ? ', or set REDIS_URL so that the queues need none.' : '.'),
  );
