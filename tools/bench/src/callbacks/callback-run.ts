import { CallbackAnnouncer, recordCallbacks } from '@gangan/callbacks';
import { createAccount, type Database } from '@gangan/database';
import type { QueueClient } from '@gangan/queue';
import { setTimeout as pause } from 'node:timers/promises';
import { openProducer } from '../stage/producer.js';
import { quietLogger } from '../stage/quiet-logger.js';
import type { Stage } from '../stage/stage.js';
import type { CallbackOptions } from './callback-options.js';
import { Consumers } from './consumers.js';
import { reportTo } from './report-to.js';

const tickMs = 50;
const settleMs = 10_000;
/** Of several customers: one's hosts that hang must not be felt by another either. */
const accounts = 4;
const env = { CALLBACK_ALLOW_PRIVATE: 'true' };
const nodeFlags = ['--max-semi-space-size=1'];

/** A callback worker and consumers. */
export class CallbackRun {
  private constructor(
    private readonly database: Database,
    private readonly client: QueueClient,
    private readonly consumers: Consumers,
    private readonly organisations: readonly string[],
  ) {}

  static async start(stage: Stage): Promise<CallbackRun> {
    const consumers = new Consumers();
    stage.atEnd(() => consumers.stop());
    const { client } = await openProducer(stage);
    await stage.app('callback', { env, nodeFlags });
    const organisations = await openOrganisations(stage.database);
    return new CallbackRun(stage.database, client, consumers, organisations);
  }

  openConsumers(kind: 'healthy' | 'hanging', count: number): Promise<readonly string[]> {
    return this.consumers.open(kind, count);
  }

  /** Reports at a steady rate to each URL; gives how long the healthy ones took to be told. Who was not is at the end. */
  async measure(
    healthy: readonly string[],
    hanging: readonly string[],
    { rate, seconds }: CallbackOptions,
  ): Promise<readonly number[]> {
    const urls = [...healthy, ...hanging];
    await this.consumers.latencies();
    const announcer = new CallbackAnnouncer(this.client, quietLogger);
    const started = performance.now();
    let reported = 0;
    while (performance.now() - started < seconds * 1_000) {
      const due = Math.floor(((performance.now() - started) / 1_000) * rate * urls.length);
      const some = Array.from({ length: due - reported }, (_, turn) => (reported + turn) % urls.length);
      reported = due;
      await announcer.announce(
        await recordCallbacks(
          this.database,
          some.map((place) => reportTo(urls[place] ?? '', this.requireOrganisationId(place))),
        ),
      );
      await pause(tickMs);
    }
    const rest = reported % urls.length;
    return this.arrived(Math.floor(reported / urls.length) * healthy.length + Math.min(rest, healthy.length));
  }

  private requireOrganisationId(place: number): string {
    return this.organisations[place % this.organisations.length] ?? '';
  }

  private async arrived(expected: number): Promise<readonly number[]> {
    const until = performance.now() + settleMs;
    const milliseconds = [...(await this.consumers.latencies())];
    while (milliseconds.length < expected && performance.now() < until) {
      await pause(tickMs);
      milliseconds.push(...(await this.consumers.latencies()));
    }
    const missing = Math.max(0, expected - milliseconds.length);
    return [...milliseconds, ...Array.from({ length: missing }, () => Infinity)];
  }
}

async function openOrganisations(database: Database): Promise<string[]> {
  const organisations: string[] = [];
  for (let count = 0; count < accounts; count += 1) {
    const account = await database.transaction((transaction) =>
      createAccount(transaction, { name: `Bench ${count}`, sender: 'Bench' }),
    );
    organisations.push(...account.organisations.map(({ id }) => id));
  }
  return organisations;
}
