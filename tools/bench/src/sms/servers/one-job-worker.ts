import { Database } from '@gangan/database';
import type { QueueConnection } from '@gangan/queue';
import { handleCalls } from '../../ways/one-job-calls.js';
import { databasePool } from '../../ways/way.js';
import { deliverOne } from './deliver-one.js';
import { type DirectMessage, storeOne } from './store-one.js';

/** The worker of `one-job-gateway`: stores the message of a job, replies, and delivers it. */
const [connection = '', url = ''] = process.argv.slice(2);
const database = new Database({ url, poolSize: databasePool });
process.on('disconnect', () => process.exit(0));
await handleCalls(
  JSON.parse(connection) as QueueConnection,
  async (message: DirectMessage) => (await storeOne(database, message))?.toString(),
  ({ id }) => deliverOne(database, id),
);
process.send?.({ type: 'ready' });
