import { CallbackAnnouncer } from '@gangan/callbacks';
import { Announcer } from '@gangan/leases';
import { allContracts } from '@gangan/contracts';
import { sql } from '@gangan/database';
import {
  deriveQueueKeys,
  MasterKeys,
  migrateQueue,
  newQueueKey,
  type QueueConnection,
  Queues,
} from '@gangan/queue';
import { deriveDataKeys } from '@gangan/sealing';
import { isFullSuite, until, WorkerProcess } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CountingConsumers } from './counting-consumers.js';
import { TestCallbacks } from './test-callbacks.js';

export interface Broker {
  readonly connection: QueueConnection;
  readonly env: Record<string, string>;
  /** Deletes every job. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const count = 1_250;
const portion = 125;
/** Recorded when no worker runs any more, so that the last worker has something to deliver. */
const late = 2 * portion;

/** Sends callbacks while workers are killed and the queue is emptied. */
export function disaster(startBroker: (callbacks: TestCallbacks) => Promise<Broker>): void {
  let callbacks: TestCallbacks;
  let broker: Broker;
  let consumers: CountingConsumers;
  let queues: Queues;
  const workers: WorkerProcess[] = [];
  const key = newQueueKey();

  beforeAll(async () => {
    callbacks = await TestCallbacks.open();
    await migrateQueue(callbacks.url);
    broker = await startBroker(callbacks);
    consumers = await CountingConsumers.start(5);
    queues = await Queues.open(
      { connection: broker.connection, app: 'messaging', keys: new MasterKeys([key]) },
      'producer',
      callbacks.log,
    );
  });
  afterAll(async () => {
    for (const worker of workers) await worker.kill();
    await queues.client.close();
    await queues.close();
    await consumers.stop();
    await broker.stop();
    await callbacks.close();
  });

  const startWorker = async (): Promise<WorkerProcess> => {
    const worker = new WorkerProcess('callback', {
      DATABASE_URL: callbacks.url,
      QUEUE_KEYS: deriveQueueKeys([key], 'callback', allContracts),
      DATA_KEYS: deriveDataKeys([callbacks.dataKey], 'callback'),
      CALLBACK_ALLOW_PRIVATE: 'true',
      CALLBACK_TIMEOUT_MS: '1500',
      ...broker.env,
    });
    workers.push(worker);
    await worker.untilReady();
    return worker;
  };
  const received = (some: number) =>
    until('the consumers have received enough callbacks', () => consumers.received.size >= some);

  it('delivers every callback, each with one id and one body', async () => {
    const organisation = await callbacks.organisation();
    const announcer = new CallbackAnnouncer(new Announcer(queues.client, callbacks.log));
    const ids: string[] = [];
    const produce = async (upTo: number): Promise<void> => {
      while (ids.length < upTo) {
        const turn = ids.length / portion;
        const some = await callbacks.record(organisation, consumers.urlOf(turn), portion);
        ids.push(...some);
        await announcer.announce(some);
      }
    };
    const [first, second] = await Promise.all([startWorker(), startWorker()]);
    const produced = produce(count - late);
    await received(125);
    await first.kill();
    // In the full suite, one starts while others work and the queue is emptied.
    const third = isFullSuite ? startWorker() : undefined;
    await received(375);
    await broker.flush();
    await received(625);
    await Promise.all([second.kill(), third?.then((worker) => worker.kill()), produced]);
    await produce(count);
    expect(consumers.received.size).toBeLessThan(count);
    await broker.flush();
    await startWorker();
    await until('all callbacks are delivered', async () => {
      const waiting = await callbacks.database.query(
        sql`SELECT id FROM callback WHERE state <> 'delivered' LIMIT 1`,
      );
      return waiting.length === 0;
    });
    expect([...consumers.received.keys()].toSorted()).toEqual(ids.toSorted());
    for (const bodies of consumers.received.values()) expect(new Set(bodies).size).toBe(1);
  });
}
