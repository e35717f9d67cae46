import { newId } from '@gangan/protocol';
import type { QueueConnection } from '@gangan/queue';
import { announceReady } from '../../processes/script.js';
import { openDatabase } from './open-database.js';
import { openBroker } from './plain-broker.js';
import { PlainDelivery } from './plain-delivery.js';
import { serveMessages } from './serve-messages.js';
import { type DirectMessage, storeOne } from './store-one.js';

interface OneJob {
  readonly replyTo: string;
  readonly message: DirectMessage;
}

/** The new balance. There is none if the message could not be stored. */
interface Reply {
  readonly id: string;
  readonly balance?: string | undefined;
}

/**
 * Messages with plain BullMQ: the HTTP process adds one job per request and waits for its reply. With a database it is the
 * worker, which stores the message of a job, replies, and delivers it.
 */
const [connection = '', url, carrierUrl = ''] = process.argv.slice(2);
const broker = openBroker(JSON.parse(connection) as QueueConnection);
if (url === undefined) await serveMessages(await openCalls());
else await work(url);

/** Returns a function that adds one job and waits for its reply. */
async function openCalls(): Promise<(message: DirectMessage) => Promise<string | undefined>> {
  const queue = broker.openQueue();
  const replyTo = `replies_${newId()}`;
  const callers = new Map<string, (balance: string | undefined) => void>();
  await broker.subscribe(replyTo, (text) => {
    const { id, balance } = JSON.parse(text) as Reply;
    callers.get(id)?.(balance);
    callers.delete(id);
  });
  return async (message) => {
    const replied = new Promise<string | undefined>((resolve) => {
      callers.set(message.id, resolve);
    });
    const job: OneJob = { replyTo, message };
    // Finished jobs are removed, as in the transport.
    await queue.add('message', job, { removeOnComplete: true, removeOnFail: true });
    return replied;
  };
}

async function work(databaseUrl: string): Promise<void> {
  const database = openDatabase(databaseUrl);
  const delivery = await PlainDelivery.open(database, carrierUrl);
  await broker.work(async ({ data }) => {
    const { replyTo, message } = data as OneJob;
    const balance = await storeOne(database, message).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      return undefined;
    });
    const reply: Reply = { id: message.id, balance: balance?.toString() };
    await broker.publish(replyTo, JSON.stringify(reply));
    if (balance !== undefined) await delivery.deliver(message);
  });
  announceReady();
}
