import type { QueueConnection } from '@gangan/queue';
import { openCalls } from './one-job-calls.js';
import { serveMessages } from './serve-messages.js';

/** Messages with plain BullMQ: the HTTP process adds one job per request and waits for its reply. */
const [connection = ''] = process.argv.slice(2);
const call = await openCalls(JSON.parse(connection) as QueueConnection);
await serveMessages(call);
