import { Cluster, Redis, type RedisOptions } from 'ioredis';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What a `REDIS_URL` asks for, in the four ways Redis is run. */
export type RedisTarget =
  | { readonly mode: 'single'; readonly options: RedisOptions }
  | { readonly mode: 'sentinel'; readonly options: RedisOptions }
  | { readonly mode: 'cluster'; readonly nodes: readonly Address[]; readonly options: RedisOptions };

const PATTERN =
  /^(?<scheme>redis|rediss)(?:-(?<mode>sentinel|cluster))?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]+)(?:\/(?<path>[^?]*))?$/;

/**
 * Reads `redis://[user:password@]host:port/db` and its kin: `rediss:` for TLS,
 * `redis-sentinel://host:port,host:port/master/db`, `redis-cluster://host:port,host:port`.
 */
export function readRedisUrl(url: string): RedisTarget {
  const parts = PATTERN.exec(url)?.groups;
  if (!parts?.['hosts']) {
    throw new Error(
      'REDIS_URL is not understood; use redis://host:6379, rediss://…, redis-sentinel://host:26379,host:26379/master or redis-cluster://host:6379,host:6379',
    );
  }
  const mode = parts['mode'];
  const nodes = parts['hosts']
    .split(',')
    .map((host) => readAddress(host, mode === 'sentinel' ? 26_379 : 6_379));
  const path = (parts['path'] ?? '').split('/').filter((part) => part !== '');
  const options: RedisOptions = {
    ...(parts['user'] && { username: decodeURIComponent(parts['user']) }),
    ...(parts['password'] && { password: decodeURIComponent(parts['password']) }),
    ...(parts['scheme'] === 'rediss' && { tls: {} }),
  };
  if (mode === 'cluster') return { mode, nodes, options };
  if (mode === 'sentinel') {
    const [master = 'mymaster', db] = path;
    const tls = options.tls && { sentinelTLS: options.tls, enableTLSForSentinelMode: true };
    return { mode, options: { ...options, ...tls, sentinels: [...nodes], name: master, ...readDb(db) } };
  }
  const [only] = nodes;
  return { mode: 'single', options: { ...options, ...only, ...readDb(path[0]) } };
}

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

function readAddress(text: string, defaultPort: number): Address {
  const { hostname, port } = new URL(`tcp://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}

const readDb = (text: string | undefined): { db?: number } => (text ? { db: Number(text) } : {});
