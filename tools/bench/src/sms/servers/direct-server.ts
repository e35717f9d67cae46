import { Database } from '@gangan/database';
import { databasePool } from '../../ways/way.js';
import { serveMessages } from './serve-messages.js';
import { storeOne } from './store-one.js';

/** Messages without a queue: one statement per request, in the HTTP process. */
const [url = ''] = process.argv.slice(2);
const database = new Database({ url, poolSize: databasePool });
await serveMessages((message) => storeOne(database, message));
