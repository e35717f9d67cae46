import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { jobOptions, type PlainBroker, queueName } from './plain-broker.js';

export function openRedis(url: string): PlainBroker {
  const connect = (): Redis => new Redis(url, { maxRetriesPerRequest: null, enableAutoPipelining: true });
  const connection = connect();
  let queue: Queue | undefined;
  return {
    add: (data) => {
      queue ??= new Queue(queueName, { connection });
      return queue.add('charge', data, jobOptions);
    },
    work: async (concurrency, process) => {
      await new Worker(queueName, process, { connection, concurrency }).waitUntilReady();
    },
    publish: (channel, message) => connection.publish(channel, message),
    subscribe: async (channel, listener) => {
      const subscriber = connect();
      subscriber.on('message', (_channel: string, message: string) => {
        listener(message);
      });
      await subscriber.subscribe(channel);
    },
  };
}
