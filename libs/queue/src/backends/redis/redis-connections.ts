import type { QueueLogger } from '../../observer.js';
import type { ReplyChannel } from '../backend.js';
import { QuietReporter, reportErrors } from '../report-errors.js';
import { ClusterReplyChannel } from './cluster-reply-channel.js';
import { RedisReplyChannel } from './redis-reply-channel.js';
import { type Behaviour, connectCluster, connectServer, type RedisClient } from './redis-client.js';
import { readRedisUrl } from './redis-url.js';

/** What a process needs of Redis: one connection for those who wait, one for those who do not, one for answers. */
export interface RedisConnections {
  readonly producer: RedisClient;
  readonly consumer: RedisClient;
  readonly replies: ReplyChannel;
  close(): void;
}

/** After a failover the old master is a replica: it answers, but takes nothing. */
const reconnectOnError = (error: Error): boolean => error.message.startsWith('READONLY');

const retryStrategy = (times: number): number => Math.min(50 * times, 1_000);

/** A caller is waiting: say no at once instead of queueing commands for a broker that is away. */
const failFast: Behaviour = {
  retryStrategy,
  reconnectOnError,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 5_000,
  // A host that vanished without a word: give the connection up, and find the new master.
  socketTimeout: 10_000,
};

/** Nobody is waiting: hold on until the broker is back. */
const patient: Behaviour = { retryStrategy, reconnectOnError, maxRetriesPerRequest: null };

export function openConnections(url: string, namespace: string, logger: QueueLogger): RedisConnections {
  const target = readRedisUrl(url);
  return target.mode === 'cluster'
    ? assemble((behaviour) => connectCluster(target, behaviour), ClusterReplyChannel, namespace, logger)
    : assemble((behaviour) => connectServer(target.options, behaviour), RedisReplyChannel, namespace, logger);
}

function assemble<C extends RedisClient>(
  connect: (behaviour: Behaviour) => C,
  Replies: new (
    publisher: C,
    openListener: () => C,
    namespace: string,
    failures: QuietReporter,
  ) => ReplyChannel & { close(): void },
  namespace: string,
  logger: QueueLogger,
): RedisConnections {
  const open = (behaviour: Behaviour, purpose: string): C => {
    const client = connect(behaviour);
    reportErrors(client, logger, purpose);
    return client;
  };
  const producer = open(failFast, 'producer');
  const consumer = open({ ...patient, lazyConnect: true }, 'consumer');
  const failures = new QuietReporter(logger, 'replies');
  const replies = new Replies(producer, () => open(patient, 'replies'), namespace, failures);
  const close = (): void => {
    replies.close();
    producer.disconnect();
    consumer.disconnect();
  };
  return { producer, consumer, replies, close };
}
