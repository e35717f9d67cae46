import { newId } from '@gangan/protocol';
import type { QueueConnection } from '@gangan/queue';
import { openBroker } from './plain-broker.js';
import type { DirectMessage } from './store-one.js';

interface OneJob {
  readonly replyTo: string;
  readonly message: DirectMessage;
}

/** The new balance, or why there is none. */
interface Reply {
  readonly id: string;
  readonly balance?: string;
  readonly error?: string;
}

const concurrency = 32;

/** Returns a function that adds one job and waits for its reply. */
export async function openCalls(
  connection: QueueConnection,
): Promise<(message: DirectMessage) => Promise<string | undefined>> {
  const broker = openBroker(connection);
  const replyTo = `replies_${newId()}`;
  const callers = new Map<string, (reply: Reply) => void>();
  await broker.subscribe(replyTo, (text) => {
    const reply = JSON.parse(text) as Reply;
    callers.get(reply.id)?.(reply);
    callers.delete(reply.id);
  });
  return async (message) => {
    const replied = new Promise<Reply>((resolve) => {
      callers.set(message.id, resolve);
    });
    await broker.add({ replyTo, message } satisfies OneJob);
    const { balance, error } = await replied;
    if (error !== undefined) throw new Error(error);
    return balance;
  };
}

/** @param answer returns the reply, or throws the error for the caller. @param after what is done after the reply */
export async function handleCalls(
  connection: QueueConnection,
  answer: (message: DirectMessage) => Promise<string | undefined>,
  after: (message: DirectMessage) => Promise<void>,
): Promise<void> {
  const broker = openBroker(connection);
  await broker.work(concurrency, async (job) => {
    const { replyTo, message } = job.data as OneJob;
    const { id } = message;
    const reply = await answer(message).then(
      (balance): Reply => ({ id, ...(balance !== undefined && { balance }) }),
      (error: unknown) => ({ id, error: String(error) }),
    );
    await broker.publish(replyTo, JSON.stringify(reply));
    if (reply.error === undefined) await after(message);
  });
}
