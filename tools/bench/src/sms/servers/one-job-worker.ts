import { Database } from '@gangan/database';
import type { QueueConnection } from '@gangan/queue';
import { handleCalls } from '../../ways/one-job-calls.js';
import { databasePool } from '../../ways/way.js';
import { PlainDelivery } from './plain-delivery.js';
import { type DirectMessage, storeOne } from './store-one.js';

/** The worker of `one-job-gateway`: stores the message of a job, replies, and delivers it. */
const [connection = '', url = '', carrierUrl = ''] = process.argv.slice(2);
const database = new Database({ url, poolSize: databasePool });
const delivery = await PlainDelivery.open(database, carrierUrl);
process.on('disconnect', () => process.exit(0));
await handleCalls(
  JSON.parse(connection) as QueueConnection,
  async (message: DirectMessage) => (await storeOne(database, message))?.toString(),
  (message) => delivery.deliver(message),
);
process.send?.({ type: 'ready' });
