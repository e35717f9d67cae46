import { Database } from '@gangan/database';
import type { Receipt } from '../charge/charge.contract.js';
import { chargeOne } from '../charge/charge-one.js';
import { type Order, toOrder } from '../charge/order.js';
import { handleCalls, openCalls } from './one-job-calls.js';
import { databasePool, type Way } from './way.js';

/** One job, one statement and one reply per request. */
export const way: Way = {
  gateway: async ({ queue }) => {
    const call = await openCalls<Receipt>(queue.connection);
    return (charge, context) => call(toOrder(charge, context));
  },

  worker: async ({ databaseUrl, queue }) => {
    const database = new Database({ url: databaseUrl, poolSize: databasePool });
    await handleCalls(queue.connection, (order: Order) => chargeOne(database, order));
  },
};
