import { openDatabase } from './open-database.js';
import { PlainDelivery } from './plain-delivery.js';
import { serveMessages } from './serve-messages.js';
import { storeOne } from './store-one.js';

/** Messages without a queue: one statement per request, in the HTTP process. With a carrier, it delivers them after the response. */
const [url = '', carrierUrl] = process.argv.slice(2);
const database = openDatabase(url);
const delivery = carrierUrl === undefined ? undefined : await PlainDelivery.open(database, carrierUrl);
await serveMessages(
  (message) => storeOne(database, message),
  (message) => delivery?.deliver(message),
);
