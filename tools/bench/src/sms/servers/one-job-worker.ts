import { Database } from '@gangan/database';
import type { QueueConnection } from '@gangan/queue';
import { announceReady } from '../../processes/script.js';
import { databasePool } from './database-pool.js';
import { handleCalls } from './one-job-calls.js';
import { PlainDelivery } from './plain-delivery.js';
import { type DirectMessage, storeOne } from './store-one.js';

/** The worker of `one-job-gateway`: stores the message of a job, replies, and delivers it. */
const [connection = '', url = '', carrierUrl = ''] = process.argv.slice(2);
const database = new Database({ url, poolSize: databasePool });
const delivery = await PlainDelivery.open(database, carrierUrl);
await handleCalls(
  JSON.parse(connection) as QueueConnection,
  async (message: DirectMessage) => (await storeOne(database, message))?.toString(),
  (message) => delivery.deliver(message),
);
announceReady();
