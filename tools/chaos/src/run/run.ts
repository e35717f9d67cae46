import type { BrokerKind } from '@gangan/testing';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { availableFaults } from '../faults/availability.js';
import { FaultInjector } from '../faults/inject.js';
import type { ChaosOptions } from '../options.js';
import { type PlannedFault, planFaults } from '../plan/plan-faults.js';
import { Random } from '../plan/random.js';
import { readBalances } from '../reconcile/read-balances.js';
import { collectRows } from '../reconcile/collect.js';
import { reconcile } from '../reconcile/reconcile.js';
import { settle, type Settled } from '../reconcile/settle.js';
import { findSlowCallbacks, readProgress } from '../reconcile/unfinished.js';
import { findOutages } from '../report/outages.js';
import { holds, type RunResult } from '../report/result.js';
import { logFolder } from '../report/write-result.js';
import { deliveryInFlightMs, deliveryLeaseMs } from '../system/app-environment.js';
import { ChaosSystem, processNames } from '../system/chaos-system.js';
import { CallbackReceiver } from '../traffic/callback-receiver.js';
import { CarefulClient } from '../traffic/careful-client.js';
import { carryOut, type Customer } from '../traffic/carry-out.js';
import type { Intent } from '../traffic/intents.js';
import { amountsAt, planTraffic } from '../traffic/plan-traffic.js';
import { prepareCustomers } from '../traffic/prepare-customers.js';
import type { ClientAnswer } from '../traffic/requests.js';
import { Timeline } from '../traffic/timeline.js';
import { FaultLog } from './fault-log.js';

export type Print = (line: string) => void;

export interface RunInput {
  readonly seed: number;
  readonly queue: BrokerKind;
  readonly options: ChaosOptions;
  readonly print: Print;
  /** Aborted by Ctrl-C: the run is dropped. */
  readonly interrupted: AbortSignal;
}

const organisations = 4;
const progressMs = 10_000;
/** After the traffic, for clients that still repeat their requests. */
const answerLimitMs = 300_000;
const settlePollMs = 500;
/** The time between two heartbeats of a worker. */
const heartbeatMs = 2_000;

/** One run: traffic and faults against a new system, then the reconciliation. */
export async function run(input: RunInput): Promise<RunResult> {
  const { seed, queue, options } = input;
  const { faults, skipped } = availableFaults(options.faults, queue);
  // The same plan on every machine and queue; faults that are not available are left out of it.
  const plan = planFaults({
    ...{ seed, seconds: options.seconds, faults: options.faults, count: options.count || undefined },
    processes: processNames(options.workers),
  }).filter(({ fault }) => faults.includes(fault));
  const byRate = amountsAt(options.rate, options.seconds);
  const amounts = {
    ...byRate,
    sms: options.sends || byRate.sms,
    airtime: options.purchases || byRate.airtime,
  };
  const intents = planTraffic({ seed, seconds: options.seconds, organisations, amounts });
  for (const { fault, reason } of skipped) input.print(`skipped ${fault}: ${reason}`);
  const smallDisk = faults.includes('disk-full');
  const system = await ChaosSystem.create({
    ...{ queue, workers: options.workers, organisations, smallDisk },
    interrupted: input.interrupted,
  });
  const copyLogs = (): void => {
    if (options.out !== '' && !input.interrupted.aborted) system.copyLogs(logFolder(options.out, input));
  };
  try {
    await system.start();
    const result = await new Run(input, system).execute(intents, plan);
    if (!holds(result)) copyLogs();
    return { ...result, skipped };
  } catch (error) {
    copyLogs();
    throw error;
  } finally {
    await system.close();
  }
}

class Run {
  private readonly receiver: CallbackReceiver;
  private readonly answers: ClientAnswer[] = [];
  /** Ends all waiting: the run is over, failed or interrupted. */
  private readonly over = new AbortController();
  private readonly noMoreAttempts = new AbortController();
  private timeline = new Timeline();
  private readonly log = new FaultLog();
  private readonly injector: FaultInjector;
  private inFlight = 0;

  constructor(
    private readonly input: RunInput,
    private readonly system: ChaosSystem,
  ) {
    setMaxListeners(0, this.over.signal, this.noMoreAttempts.signal);
    this.injector = new FaultInjector(system, new Random(input.seed, 'losses'), this.over.signal);
    this.receiver = new CallbackReceiver(new Random(input.seed, 'receiver'));
    input.interrupted.addEventListener('abort', () => {
      this.end();
    });
  }

  async execute(
    intents: readonly Intent[],
    plan: readonly PlannedFault[],
  ): Promise<Omit<RunResult, 'skipped'>> {
    await this.receiver.listen();
    const client = (timeline: Timeline, ended: AbortSignal): CarefulClient =>
      new CarefulClient(
        this.system.clients.map(({ port }) => port),
        timeline,
        ended,
      );
    const quietClient = client(new Timeline(), this.over.signal);
    try {
      const customers = await prepareCustomers(this.system.organisations, quietClient, this.receiver);
      this.timeline = new Timeline();
      const busyClient = client(this.timeline, this.noMoreAttempts.signal);
      await this.disturb(intents, plan, customers, busyClient);
      busyClient.close();
      return await this.conclude(intents, customers, quietClient);
    } finally {
      this.end();
      quietClient.close();
      await this.receiver.close();
    }
  }

  private end(): void {
    this.over.abort();
    this.noMoreAttempts.abort();
  }

  /** Traffic and faults at their times, until every request is answered. */
  private async disturb(
    intents: readonly Intent[],
    plan: readonly PlannedFault[],
    customers: readonly Customer[],
    client: CarefulClient,
  ): Promise<void> {
    const inject = async (planned: PlannedFault): Promise<void> => {
      await this.at(planned.atMs);
      await this.log.during(planned, this.timeline, () => this.injector.inject(planned));
    };
    const request = async (intent: Intent): Promise<void> => {
      await this.at(intent.atMs);
      const customer = customers[intent.organisation];
      if (!customer) return;
      this.inFlight += 1;
      await carryOut(intent, customer, client, (answer) => this.answers.push(answer));
      this.inFlight -= 1;
    };
    const faults = Promise.all(plan.map(inject));
    const requests = Promise.all(intents.map(request));
    const progress = setInterval(() => {
      this.printProgress();
    }, progressMs);
    try {
      await Promise.race([faults, requests.then(() => faults)]);
      const limit = setTimeout(() => {
        this.noMoreAttempts.abort();
      }, answerLimitMs);
      await requests;
      clearTimeout(limit);
    } finally {
      clearInterval(progress);
    }
  }

  private async conclude(
    intents: readonly Intent[],
    customers: readonly Customer[],
    client: CarefulClient,
  ): Promise<Omit<RunResult, 'skipped'>> {
    const { system, input, answers } = this;
    const { database } = system;
    await system.untilReady();
    const { unfinished, atMs } = await this.settle(customers, client);
    const settledAfterMs = Math.max(0, atMs - this.log.lastEndMs);
    const checks = reconcile({
      ...(await collectRows(database)),
      ...{ answers, received: this.receiver.received, deliveryLeaseMs, deliveryInFlightMs },
      organisations: await readBalances(system.organisations, client),
      lostAnswers: this.injector.lostAnswers,
      effects: this.log.entries.flatMap(({ effect }) => effect ?? []),
      exits: system.processes.flatMap(({ unexpectedExits }) => unexpectedExits),
      disturbances: this.log.disturbances,
    });
    return {
      ...{ seed: input.seed, queue: input.queue, seconds: input.options.seconds, intents: intents.length },
      ...{ answers, unfinished, checks, settledAfterMs, faults: this.log.entries },
      ...{ perSecond: this.timeline.perSecond(), attempts: this.timeline.totals() },
      outages: findOutages(this.log.entries, this.timeline.attempts),
      callbacks: this.receiver.received.length,
      restarts: system.processes.reduce((sum, { starts }) => sum + starts - 1, 0),
    };
  }

  private settle(customers: readonly Customer[], client: CarefulClient): Promise<Settled> {
    const { database } = this.system;
    const { print, options } = this.input;
    return settle({
      read: () => readProgress(database),
      elapsed: () => this.timeline.elapsed(),
      notBeforeMs: this.log.lastEndMs + deliveryInFlightMs + heartbeatMs,
      deadlineMs: this.timeline.elapsed() + options.settle * 1_000,
      ...{ pollMs: settlePollMs, signal: this.over.signal },
      onPoll: () => this.resendSlowCallbacks(customers, client),
      onProgress: (left) => {
        print(`waiting until everything is final: ${JSON.stringify(left)}`);
      },
    });
  }

  /** Asks for callbacks that wait for long to be sent at once, as a client can. */
  private async resendSlowCallbacks(customers: readonly Customer[], client: CarefulClient): Promise<void> {
    for (const { id, organisationId } of await findSlowCallbacks(this.system.database)) {
      const apiKey = customers.find((customer) => customer.id === organisationId)?.apiKey ?? '';
      await client.post(`/callbacks/${id}/resend`, apiKey);
    }
  }

  private async at(ms: number): Promise<void> {
    await pause(Math.max(0, ms - this.timeline.elapsed()), undefined, { signal: this.over.signal });
  }

  private printProgress(): void {
    const active = this.log.active.map(({ fault, target }) => (target ? `${fault} ${target}` : fault));
    const seconds = Math.round(this.timeline.elapsed() / 1_000);
    this.input.print(
      `${seconds} s: ${this.answers.length} answers, ${this.inFlight} intents in flight` +
        (active.length > 0 ? `; ${active.join(', ')}` : ''),
    );
  }
}
