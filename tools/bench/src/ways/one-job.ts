import { Database } from '@gangan/database';
import { newId } from '@gangan/protocol';
import type { Receipt } from '../charge/charge.contract.js';
import { chargeOne } from '../charge/charge-one.js';
import { type Order, orderOf } from '../charge/order.js';
import { openBroker } from './plain-broker.js';
import { databasePool, type Way } from './way.js';

interface OneJob {
  readonly replyTo: string;
  readonly order: Order;
}

interface Caller {
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: Error) => void;
}

/** `error` is its message: a baseline need not carry more. */
type Reply = { id: string; receipt: Receipt } | { id: string; error: string };

const jobsAtOnce = 32;

/** A job per request, a statement per job, an answer per job. */
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
      const order = orderOf(charge, context);
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
    const answer = async (order: Order): Promise<Reply> => {
      try {
        return { id: order.id, receipt: await chargeOne(database, order) };
      } catch (error) {
        return { id: order.id, error: String(error) };
      }
    };
    await broker.work(jobsAtOnce, async (job) => {
      const { replyTo, order } = job.data as OneJob;
      await broker.publish(replyTo, JSON.stringify(await answer(order)));
    });
  },
};
