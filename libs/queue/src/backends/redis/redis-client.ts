import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisTarget } from './redis-url.js';

export type RedisClient = Redis | Cluster;

/** How a client bears the broker's absence. */
export type Behaviour = Pick<
  RedisOptions,
  | 'retryStrategy'
  | 'reconnectOnError'
  | 'enableOfflineQueue'
  | 'maxRetriesPerRequest'
  | 'commandTimeout'
  | 'socketTimeout'
  | 'lazyConnect'
>;

export const connectServer = (options: RedisOptions, behaviour: Behaviour): Redis =>
  new Redis({ ...options, ...behaviour } as PlainOptions);

export function connectCluster(
  { nodes, options }: Extract<RedisTarget, { mode: 'cluster' }>,
  behaviour: Behaviour,
): Cluster {
  const { enableOfflineQueue = true, lazyConnect = false, ...perNode } = behaviour;
  return new Cluster([...nodes], {
    enableOfflineQueue,
    lazyConnect,
    // A certificate names hosts, not the addresses they resolve to.
    ...(options.tls && {
      dnsLookup: (address, found) => {
        found(null, address);
      },
    }),
    clusterRetryStrategy: (times) => Math.min(50 * times, 1_000),
    redisOptions: { ...options, ...perNode } as PlainOptions,
  });
}

/** ioredis spells its optional properties without `undefined`, which a spread cannot promise. */
type PlainOptions = RedisOptions & { replyMapping?: 'legacy' };
