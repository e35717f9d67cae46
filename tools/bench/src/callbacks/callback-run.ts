import { setTimeout as pause } from 'node:timers/promises';
import { CallbackAnnouncer, type NewCallback, recordCallbacks } from '@gangan/callbacks';
import { Announcer } from '@gangan/leases';
import { createAccount, type Database } from '@gangan/database';
import type { QueueClient } from '@gangan/queue';
import type { ScriptProcess } from '@gangan/testing';
import type { BenchEnvironment } from '../environment/bench-environment.js';
import { openProducer, quietLogger } from '../environment/producer.js';
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
    readonly worker: ScriptProcess,
    private readonly database: Database,
    private readonly client: QueueClient,
    private readonly consumers: ScriptProcess,
    private readonly organisations: readonly string[],
  ) {}

  static async start(environment: BenchEnvironment): Promise<CallbackRun> {
    const { database, sealer } = environment;
    const consumers = await environment.fork(benchScript('callbacks/consumers-process'));
    const { client } = await openProducer(environment, 'messaging');
    const worker = await environment.app('callback', { env, nodeFlags });
    const organisations: string[] = [];
    for (let count = 0; count < accounts; count += 1) {
      const account = await createAccount(database, sealer, { name: `Bench ${count}`, sender: 'Bench' });
      organisations.push(...account.organisations.map(({ id }) => id));
    }
    return new CallbackRun(worker, database, client, consumers, organisations);
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
      const some: NewCallback[] = [];
      for (; reported < due; reported += 1)
        some.push(this.newReport(urls[reported % urls.length] ?? '', reported % urls.length));
      await this.report(some);
      await pause(tickMs);
    }
    const rest = reported % urls.length;
    return this.arrived(Math.floor(reported / urls.length) * healthy.length + Math.min(rest, healthy.length));
  }

  /** Delivers callbacks of one organisation to one URL. Returns how many arrived per second. */
  async deliver(url: string, count: number): Promise<number> {
    await this.latencies();
    const reports = Array.from({ length: count }, () => this.newReport(url, 0));
    const started = performance.now();
    await this.report(reports);
    const arrived = await this.arrived(count);
    const seconds = (performance.now() - started) / 1_000;
    if (arrived.includes(Infinity)) throw new Error('Callbacks did not arrive');
    return count / seconds;
  }

  private newReport(url: string, organisation: number): NewCallback {
    return newReport(url, this.organisations[organisation % this.organisations.length] ?? '');
  }

  private async report(callbacks: readonly NewCallback[]): Promise<void> {
    const ids = await recordCallbacks(this.database, callbacks);
    await new CallbackAnnouncer(new Announcer(this.client, quietLogger)).announce(ids);
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
    return [
      ...milliseconds,
      ...new Array<number>(Math.max(0, expected - milliseconds.length)).fill(Infinity),
    ];
  }
}
