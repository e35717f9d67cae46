import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { QueueLogger } from '../../observer.js';
import type { ReplyChannel } from '../backend.js';
import { QuietReporter, reportErrors } from '../report-errors.js';
import { ClusterReplyChannel, RedisReplyChannel } from './redis-reply-channels.js';
import { readRedisUrl, type RedisTarget } from './redis-url.js';

export type RedisClient = Redis | Cluster;

/** The connections of a process: one that fails fast, one that waits, one for replies. */
export interface RedisConnections {
  readonly producer: RedisClient;
  readonly consumer: RedisClient;
  readonly replies: ReplyChannel;
  close(): void;
}

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

export function openConnections(url: string, namespace: string, logger: QueueLogger): RedisConnections {
  const target = readRedisUrl(url);
  return target.mode === 'cluster'
    ? assemble((options) => connectCluster(target, options), ClusterReplyChannel, namespace, logger)
    : assemble((options) => connectServer(target.options, options), RedisReplyChannel, namespace, logger);
}

function assemble<C extends RedisClient>(
  connect: (options: RedisOptions) => C,
  Replies: new (
    publisher: C,
    openListener: () => C,
    namespace: string,
    failures: QuietReporter,
  ) => ReplyChannel & { close(): void },
  namespace: string,
  logger: QueueLogger,
): RedisConnections {
  const open = (options: RedisOptions, purpose: string): C =>
    reportErrors(connect(options), logger, purpose);
  const producer = open(failFast, 'producer');
  const consumer = open({ ...waitForBroker, lazyConnect: true }, 'consumer');
  const failures = new QuietReporter(logger, 'replies');
  const replies = new Replies(producer, () => open(waitForBroker, 'replies'), namespace, failures);
  const close = (): void => {
    replies.close();
    producer.disconnect();
    consumer.disconnect();
  };
  return { producer, consumer, replies, close };
}

/** ioredis declares its optional properties without `undefined`, which a spread cannot satisfy. */
type PlainOptions = RedisOptions & { replyMapping?: 'legacy' };

const connectServer = (target: RedisOptions, options: RedisOptions): Redis =>
  new Redis({ ...target, ...options } as PlainOptions);

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
    redisOptions: { ...options, ...perNode } as PlainOptions,
  });
}
