import { Database } from '@gangan/database';
import { chargeOne } from '../charge/charge-one.js';
import { toOrder } from '../charge/order.js';
import { databasePool, type Way } from './way.js';

/** No queue: the gateway runs one statement per request. */
export const way: Way = {
  gateway: ({ databaseUrl }) => {
    const database = new Database({ url: databaseUrl, poolSize: databasePool });
    return Promise.resolve((charge, context) => chargeOne(database, toOrder(charge, context)));
  },
};
