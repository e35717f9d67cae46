import { newId } from '@gangan/protocol';
import type { QueueConnection } from '@gangan/queue';
import type { PlainBroker } from './plain-broker.js';

interface Identified {
  readonly id: string;
}

interface OneJob<Order> {
  readonly replyTo: string;
  readonly order: Order;
}

interface Caller<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** `error` is the message of the error. */
type Reply<Result> = { id: string; result: Result } | { id: string; error: string };

const concurrency = 32;

/** Loads only the driver that is needed, as an app would. */
async function openBroker(connection: QueueConnection): Promise<PlainBroker> {
  if (connection.kind === 'redis') return (await import('./plain-redis.js')).openRedis(connection.url);
  return (await import('./plain-postgres.js')).openPostgres(connection.url, connection.poolSize);
}

/** Returns a function that adds one job and waits for its reply. */
export async function openCalls<Result>(
  connection: QueueConnection,
): Promise<(order: Identified) => Promise<Result>> {
  const broker = await openBroker(connection);
  const replyTo = `replies_${newId()}`;
  const callers = new Map<string, Caller<Result>>();
  await broker.subscribe(replyTo, (message) => {
    const reply = JSON.parse(message) as Reply<Result>;
    const caller = callers.get(reply.id);
    callers.delete(reply.id);
    if ('error' in reply) caller?.reject(new Error(reply.error));
    else caller?.resolve(reply.result);
  });
  return async (order) => {
    const result = new Promise<Result>((resolve, reject) => {
      callers.set(order.id, { resolve, reject });
    });
    await broker.add({ replyTo, order } satisfies OneJob<Identified>);
    return result;
  };
}

/** @param answer returns the reply, or throws the error for the caller. @param after what is done after the reply */
export async function handleCalls<Order extends Identified>(
  connection: QueueConnection,
  answer: (order: Order) => Promise<unknown>,
  after?: (order: Order) => Promise<void>,
): Promise<void> {
  const broker = await openBroker(connection);
  await broker.work(concurrency, async (job) => {
    const { replyTo, order } = job.data as OneJob<Order>;
    const { id } = order;
    const reply = await answer(order).then(
      (result): Reply<unknown> => ({ id, result }),
      (error: unknown) => ({ id, error: String(error) }),
    );
    await broker.publish(replyTo, JSON.stringify(reply));
    if ('result' in reply) await after?.(order);
  });
}
