import { apps, workers } from './apps.js';
import { type Settings, StartError } from '../settings.js';

export type PoolSizes = Readonly<Settings['maxPoolSizes']>;

/** With the queue in Postgres, a worker holds one of them to listen. */
const minPoolSizes = { gateway: { database: 2, queue: 2 }, worker: { database: 2, queue: 4 } } as const;

/** Left free for psql, migrations and backups. */
const reservedConnections = 5;

/** Shares the free connections of the server evenly between the pools of all apps. */
export function shareConnections(
  free: number,
  queueInPostgres: boolean,
  max: PoolSizes,
): Map<string, PoolSizes> {
  const shared = new Map(apps.map(({ name, role }) => [name, { ...minPoolSizes[role] }]));
  const kinds = queueInPostgres ? (['database', 'queue'] as const) : (['database'] as const);
  const pools = [...shared.values()].flatMap((sizes: Record<keyof PoolSizes, number>) =>
    kinds.map((kind) => ({ sizes, kind })),
  );
  // Outside the pools: the heartbeats of workers, and the replies in a queue in Postgres.
  const outsidePools = reservedConnections + workers.length + (queueInPostgres ? apps.length : 0);
  const needed = pools.reduce((sum, { sizes, kind }) => sum + sizes[kind], outsidePools);
  if (needed > free) {
    throw new StartError(
      `The database can take ${free} more connections, and the apps need ${needed}. ` +
        `Raise its max_connections by at least ${needed - free} and restart it` +
        (queueInPostgres ? ', or set REDIS_URL so that the queues need none.' : '.'),
    );
  }
  for (let left = free - needed; ;) {
    const growing = pools.filter(({ sizes, kind }) => sizes[kind] < max[kind]).slice(0, left);
    if (growing.length === 0) return shared;
    for (const { sizes, kind } of growing) sizes[kind] += 1;
    left -= growing.length;
  }
}
