import { CallbackAnnouncer } from '@gangan/callbacks';
import { sql } from '@gangan/database';
import { migrateQueue, newQueueKey, type QueueConnection, Queues } from '@gangan/queue';
import { until, WorkerProcess } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Catcher } from './catcher.js';
import { Station } from './station.js';

export interface Broker {
  readonly connection: QueueConnection;
  readonly env: Record<string, string>;
  /** Forgets every job. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const count = 5_000;
const portion = 250;

/** What becomes of callbacks whose workers are killed and whose queue is emptied while they are sent. */
export function disaster(startBroker: (station: Station) => Promise<Broker>): void {
  let station: Station;
  let broker: Broker;
  let catcher: Catcher;
  let queues: Queues;
  const workers: WorkerProcess[] = [];
  const key = newQueueKey();

  beforeAll(async () => {
    station = await Station.open();
    await migrateQueue(station.url);
    broker = await startBroker(station);
    catcher = await Catcher.start(5);
    queues = await Queues.open({ connection: broker.connection, keys: [key] }, 'producer', station.log);
  }, 60_000);
  afterAll(async () => {
    for (const worker of workers) await worker.kill();
    await queues.client.close();
    await queues.close();
    await catcher.stop();
    await broker.stop();
    await station.close();
  }, 60_000);

  const startWorker = async (): Promise<WorkerProcess> => {
    const worker = new WorkerProcess('callback', {
      DATABASE_URL: station.url,
      QUEUE_KEY: key,
      CALLBACK_ALLOW_PRIVATE: 'true',
      CALLBACK_TIMEOUT_MS: '1500',
      ...broker.env,
    });
    workers.push(worker);
    await worker.untilReady();
    return worker;
  };
  const caught = (some: number) =>
    until('the consumers have received enough callbacks', () => catcher.caught.size >= some, {
      timeoutMs: 120_000,
    });

  it('each is delivered, under one id and with one body', async () => {
    const organisation = await station.organisation();
    const announcer = new CallbackAnnouncer(queues.client, station.log);
    const ids: string[] = [];
    const produce = async (): Promise<void> => {
      for (let turn = 0; ids.length < count; turn++) {
        const some = await station.record(organisation, catcher.urlOf(turn), portion);
        ids.push(...some);
        await announcer.announce(some);
      }
    };
    const [first, second] = [await startWorker(), await startWorker()];
    const produced = produce();
    await caught(300);
    await first.kill();
    const third = startWorker();
    await caught(1_200);
    await broker.flush();
    await caught(1_800);
    await Promise.all([second.kill(), (await third).kill(), produced]);
    expect(catcher.caught.size).toBeLessThan(count);
    await broker.flush();
    await Promise.all([startWorker(), startWorker()]);
    await until(
      'all callbacks are delivered',
      async () => {
        const waiting = await station.database.query(
          sql`SELECT id FROM callback WHERE state <> 'delivered' LIMIT 1`,
        );
        return waiting.length === 0;
      },
      { timeoutMs: 120_000 },
    );
    expect([...catcher.caught.keys()].toSorted()).toEqual(ids.toSorted());
    for (const bodies of catcher.caught.values()) expect(new Set(bodies).size).toBe(1);
  }, 180_000);
}
