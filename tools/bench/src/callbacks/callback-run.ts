import { setTimeout as pause } from 'node:timers/promises';
import { CallbackAnnouncer, type NewCallback, recordCallbacks } from '@gangan/callbacks';
import { Announcer } from '@gangan/leases';
import { createAccount, type Database } from '@gangan/database';
import type { QueueClient } from '@gangan/queue';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { openProducer, quietLogger } from '../environment/producer.js';
import type { Child } from '../processes/child.js';
import { benchScript } from '../scripts.js';
import type { ConsumerKind, OpenConsumers } from './consumers-process.js';
import { newReport } from './new-report.js';

const tickMs = 50;
const arrivalTickMs = 10;
const arrivalTimeoutMs = 30_000;
/** Several customers: the hanging hosts of one must not slow down another. */
const accounts = 4;
const env = { CALLBACK_ALLOW_PRIVATE: 'true' };
const nodeFlags = ['--max-semi-space-size=1'];

/** A callback worker and the hosts that it calls. */
export class CallbackRun {
  private constructor(
    /** The process of the worker. */
    readonly worker: Child,
    private readonly database: Database,
    private readonly client: QueueClient,
    private readonly consumers: Child,
    private readonly organisations: readonly string[],
  ) {}

  static async start(environment: BenchEnvironment): Promise<CallbackRun> {
    const consumers = await environment.fork(benchScript('callbacks/consumers-process'));
    const { client } = await openProducer(environment, 'messaging');
    const worker = await environment.app('callback', { env, nodeFlags });
    const organisations = await openOrganisations(environment);
    return new CallbackRun(worker, environment.database, client, consumers, organisations);
  }

  /** Returns their URLs. */
  openConsumers(kind: ConsumerKind, count: number): Promise<readonly string[]> {
    return this.consumers.ask({ kind, count } satisfies OpenConsumers);
  }

  /** Sends callbacks at a steady rate to each URL. Returns the latencies of the healthy hosts; Infinity for those that did not arrive. */
  async measure(
    healthy: readonly string[],
    hanging: readonly string[],
    { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  ): Promise<readonly number[]> {
    const urls = [...healthy, ...hanging];
    await this.latencies();
    const started = performance.now();
    let reported = 0;
    while (performance.now() - started < seconds * 1_000) {
      const due = Math.floor(((performance.now() - started) / 1_000) * perSecond * urls.length);
      const some = Array.from({ length: due - reported }, (_, index) => (reported + index) % urls.length);
      reported = due;
      await this.report(some.map((index) => newReport(urls[index] ?? '', this.organisationAt(index))));
      await pause(tickMs);
    }
    const rest = reported % urls.length;
    return this.arrived(Math.floor(reported / urls.length) * healthy.length + Math.min(rest, healthy.length));
  }

  /** Delivers callbacks of one organisation to one URL. Returns how many arrived per second. */
  async deliver(url: string, count: number): Promise<number> {
    await this.latencies();
    const organisationId = this.organisationAt(0);
    const reports = Array.from({ length: count }, () => newReport(url, organisationId));
    const started = performance.now();
    await this.report(reports);
    const arrived = await this.arrived(count);
    const seconds = (performance.now() - started) / 1_000;
    if (arrived.includes(Infinity)) throw new Error('Callbacks did not arrive');
    return count / seconds;
  }

  private async report(callbacks: readonly NewCallback[]): Promise<void> {
    const ids = await recordCallbacks(this.database, callbacks);
    await new CallbackAnnouncer(new Announcer(this.client, quietLogger)).announce(ids);
  }

  private organisationAt(index: number): string {
    return this.organisations[index % this.organisations.length] ?? '';
  }

  /** Those since the last call. */
  private latencies(): Promise<readonly number[]> {
    return this.consumers.ask('latencies');
  }

  private async arrived(expected: number): Promise<readonly number[]> {
    const until = performance.now() + arrivalTimeoutMs;
    const milliseconds = [...(await this.latencies())];
    while (milliseconds.length < expected && performance.now() < until) {
      await pause(arrivalTickMs);
      milliseconds.push(...(await this.latencies()));
    }
    const missing = Math.max(0, expected - milliseconds.length);
    return [...milliseconds, ...Array.from({ length: missing }, () => Infinity)];
  }
}

async function openOrganisations({ database, sealer }: BenchEnvironment): Promise<string[]> {
  const organisations: string[] = [];
  for (let count = 0; count < accounts; count += 1) {
    const account = await createAccount(database, sealer, { name: `Bench ${count}`, sender: 'Bench' });
    organisations.push(...account.organisations.map(({ id }) => id));
  }
  return organisations;
}
