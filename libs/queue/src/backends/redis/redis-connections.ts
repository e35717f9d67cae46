import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { QueueLogger } from '../../observer.js';
import { ThrottledErrorLog, reportErrors } from '../report-errors.js';
import { ClusterReplyChannel, RedisReplyChannel } from './redis-reply-channels.js';
import { readRedisUrl, type RedisTarget } from './redis-url.js';

export type RedisClient = Redis | Cluster;

/** After a failover the former master is a replica: it answers, but accepts no writes. */
const reconnectOnError = (error: Error): boolean => error.message.startsWith('READONLY');
const retryStrategy = (times: number): number => Math.min(50 * times, 1_000);

/** For callers that wait: reject at once instead of queueing commands for an unreachable broker. */
const failFast: RedisOptions = {
  retryStrategy,
  reconnectOnError,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 5_000,
  // If the host vanished without closing its connections: close ours, and find the new master.
  socketTimeout: 10_000,
};

/** For workers: wait until the broker is back. */
const waitForBroker: RedisOptions = { retryStrategy, reconnectOnError, maxRetriesPerRequest: null };

export type RedisConnections = ReturnType<typeof openConnections>;

/** The connections of a process: one that fails fast, one that waits, one for replies. */
export function openConnections(url: string, namespace: string, logger: QueueLogger) {
  const target = readRedisUrl(url);
  const connect = (outage: RedisOptions): RedisClient =>
    target.mode === 'cluster' ? connectCluster(target, outage) : new Redis(merge(target.options, outage));
  const open = (outage: RedisOptions, purpose: string): RedisClient =>
    reportErrors(connect(outage), logger, purpose);
  const producer = open(failFast, 'producer');
  const consumer = open({ ...waitForBroker, lazyConnect: true }, 'consumer');
  const openListener = (): RedisClient => open({ ...waitForBroker, autoResubscribe: false }, 'replies');
  const replies =
    target.mode === 'cluster'
      ? new ClusterReplyChannel(producer, openListener, namespace, new ThrottledErrorLog(logger, 'replies'))
      : new RedisReplyChannel(producer, openListener, namespace);
  const close = (): void => {
    replies.close();
    producer.disconnect();
    consumer.disconnect();
  };
  return { producer, consumer, replies, close };
}

/** ioredis declares its optional properties without `undefined`, which a spread cannot satisfy. */
const merge = (target: RedisOptions, outage: RedisOptions) =>
  ({ ...target, ...outage }) as RedisOptions & { replyMapping?: 'legacy' };

function connectCluster(
  { nodes, options }: Extract<RedisTarget, { mode: 'cluster' }>,
  { enableOfflineQueue = true, lazyConnect = false, ...perNode }: RedisOptions,
): Cluster {
  return new Cluster([...nodes], {
    enableOfflineQueue,
    lazyConnect,
    // Certificates name hosts, not the addresses they resolve to.
    ...(options.tls && {
      dnsLookup: (address, found) => {
        found(null, address);
      },
    }),
    clusterRetryStrategy: retryStrategy,
    redisOptions: merge(options, perNode),
  });
}
