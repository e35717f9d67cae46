import { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { QueueConnection } from '@gangan/queue';
import type { Receipt } from '../charge/charge.contract.js';
import { chargeOne } from '../charge/charge-one.js';
import { type Order, toOrder } from '../charge/order.js';
import type { PlainBroker } from './plain-broker.js';
import { databasePool, type Way } from './way.js';

interface OneJob {
  readonly replyTo: string;
  readonly order: Order;
}

interface Caller {
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: Error) => void;
}

/** `error` is the message of the error. */
type Reply = { id: string; receipt: Receipt } | { id: string; error: string };

const concurrency = 32;

/** Loads only the driver that is needed, as an app would. */
async function openBroker(connection: QueueConnection): Promise<PlainBroker> {
  if (connection.kind === 'redis') return (await import('./plain-redis.js')).openRedis(connection.url);
  return (await import('./plain-postgres.js')).openPostgres(connection.url, connection.poolSize);
}

/** One job, one statement and one reply per request. */
export const way: Way = {
  gateway: async ({ queue }) => {
    const broker = await openBroker(queue.connection);
    const replyTo = `replies_${newId()}`;
    const callers = new Map<string, Caller>();
    await broker.subscribe(replyTo, (message) => {
      const reply = JSON.parse(message) as Reply;
      const caller = callers.get(reply.id);
      callers.delete(reply.id);
      if ('error' in reply) caller?.reject(new Error(reply.error));
      else caller?.resolve(reply.receipt);
    });
    return async (charge, context) => {
      const order = toOrder(charge, context);
      const receipt = new Promise<Receipt>((resolve, reject) => {
        callers.set(order.id, { resolve, reject });
      });
      await broker.add({ replyTo, order } satisfies OneJob);
      return receipt;
    };
  },

  worker: async ({ databaseUrl, queue }) => {
    const broker = await openBroker(queue.connection);
    const database = new Database({ url: databaseUrl, poolSize: databasePool });
    const handle = async (order: Order): Promise<Reply> => {
      try {
        return { id: order.id, receipt: await chargeOne(database, order) };
      } catch (error) {
        return { id: order.id, error: String(error) };
      }
    };
    await broker.work(concurrency, async (job) => {
      const { replyTo, order } = job.data as OneJob;
      await broker.publish(replyTo, JSON.stringify(await handle(order)));
    });
  },
};
