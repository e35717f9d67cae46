import type { BrokerKind, Print } from '@gangan/testing';
import { setMaxListeners } from 'node:events';
import { FaultInjector } from '../faults/inject.js';
import type { ChaosOptions } from '../options.js';
import { Random } from '../plan/random.js';
import { readBalances } from '../reconcile/read-balances.js';
import { collectRows } from '../reconcile/collect.js';
import { countWatchdogExits } from '../reconcile/checks/system.js';
import { reconcile } from '../reconcile/reconcile.js';
import { settle, type Settled } from '../reconcile/settle.js';
import { findSlowCallbacks, readProgress } from '../reconcile/unfinished.js';
import { findOutages } from '../report/outages.js';
import { holds, type RunResult } from '../report/result.js';
import { logFolder } from '../report/write-result.js';
import { deliveryInFlightMs, deliveryLeaseMs } from '../system/app-environment.js';
import { ChaosSystem } from '../system/chaos-system.js';
import { CallbackReceiver } from '../traffic/callback-receiver.js';
import { CarefulClient } from '../traffic/careful-client.js';
import type { Customer } from '../traffic/carry-out.js';
import { ClientTraffic } from '../traffic/client-traffic.js';
import type { Intent } from '../traffic/intents.js';
import { amountsAt, planTraffic } from '../traffic/plan-traffic.js';
import { prepareCustomers } from '../traffic/prepare-customers.js';
import { Timeline } from '../traffic/timeline.js';
import { FaultLog } from './fault-log.js';
import { planRun, type RunPlan } from './plan-run.js';

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
  const plan = planRun(seed, queue, options);
  const { seconds } = options;
  const { rampSeconds, skipped, smallDisk, behindLoadBalancer } = plan;
  const byRate = amountsAt(options.rate, options.reads, seconds - rampSeconds / 2);
  const amounts = {
    ...byRate,
    sms: options.sends || byRate.sms,
    airtime: options.purchases || byRate.airtime,
  };
  const intents = planTraffic({ seed, seconds, rampSeconds, organisations, amounts });
  for (const { fault, reason } of skipped) input.print(`skipped ${fault}: ${reason}`);
  const { workers, out } = options;
  const { interrupted } = input;
  const servers = { queue, workers, organisations, smallDisk, behindLoadBalancer, interrupted };
  const system = await ChaosSystem.create(servers);
  const receiver = await CallbackReceiver.start(new Random(seed, 'receiver'));
  let isProved = false;
  try {
    await system.start();
    const result = await new Run(input, system, plan, receiver).execute(intents);
    isProved = holds(result);
    return { ...result, skipped };
  } finally {
    if (!isProved && out !== '' && !interrupted.aborted)
      system.copyLogs(logFolder(out, { plan: options.plan, seed, queue }));
    await receiver.close();
    await system.close();
  }
}

class Run {
  private readonly traffic = new ClientTraffic();
  /** Ends all waiting: the run is over, failed or interrupted. */
  private readonly over = new AbortController();
  private readonly noMoreAttempts = new AbortController();
  private timeline = new Timeline();
  private readonly log = new FaultLog();
  /** The ids of callbacks that were sent on request. */
  private readonly resent = new Set<string>();
  private readonly injector: FaultInjector;

  constructor(
    private readonly input: RunInput,
    private readonly system: ChaosSystem,
    private readonly plan: RunPlan,
    private readonly receiver: CallbackReceiver,
  ) {
    setMaxListeners(0, this.over.signal, this.noMoreAttempts.signal);
    this.injector = new FaultInjector(system, new Random(input.seed, 'losses'), this.over.signal);
    input.interrupted.addEventListener('abort', () => {
      this.end();
    });
  }

  async execute(intents: readonly Intent[]): Promise<Omit<RunResult, 'skipped'>> {
    const client = (timeline: Timeline, ended: AbortSignal): CarefulClient =>
      new CarefulClient(this.system.clientPorts, timeline, ended);
    const quietClient = client(new Timeline(), this.over.signal);
    try {
      const customers = await prepareCustomers(this.system.organisations, quietClient, this.receiver);
      this.timeline = new Timeline();
      const busyClient = client(this.timeline, this.noMoreAttempts.signal);
      await this.disturb(intents, customers, busyClient);
      busyClient.close();
      return await this.conclude(intents, customers, quietClient);
    } finally {
      this.end();
      quietClient.close();
    }
  }

  private end(): void {
    this.over.abort();
    this.noMoreAttempts.abort();
  }

  /** Traffic and faults at their times, until every request is answered. */
  private async disturb(
    intents: readonly Intent[],
    customers: readonly Customer[],
    client: CarefulClient,
  ): Promise<void> {
    const { system, injector, timeline, log, over } = this;
    const faults = this.plan.disturb({ system, injector, timeline, log, over: over.signal });
    const requests = this.traffic.send(intents, customers, client, timeline, over.signal);
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
    const { system, input } = this;
    const { answers } = this.traffic;
    const { database } = system;
    await system.untilReady();
    const { unfinished, atMs } = await this.settle(customers, client);
    const settledAfterMs = Math.max(0, atMs - this.log.lastEndMs);
    const facts = {
      ...(await collectRows(database)),
      answers,
      received: this.receiver.received(),
      deliveryLeaseMs,
      deliveryInFlightMs,
      organisations: await readBalances(system.organisations, client),
      lostAnswers: this.injector.lostAnswers,
      faults: this.log.entries,
      exits: system.processes.flatMap(({ unexpectedExits }) => unexpectedExits),
      disturbances: this.log.disturbances,
    };
    const checks = reconcile(facts, ...this.plan.checks);
    return {
      plan: input.options.plan,
      seed: input.seed,
      queue: input.queue,
      seconds: input.options.seconds,
      intents: intents.length,
      answers,
      unfinished,
      checks,
      settledAfterMs,
      faults: this.log.entries,
      attempts: this.timeline.totals(),
      responseTimes: this.timeline.responseTimes(),
      outages: findOutages(this.log.entries, this.timeline.attempts),
      callbacks: facts.received.length,
      watchdogExits: countWatchdogExits(facts.exits),
      resentCallbacks: this.resent.size,
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
      pollMs: settlePollMs,
      signal: this.over.signal,
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
      this.resent.add(id);
    }
  }

  private printProgress(): void {
    const active = this.log.active.map(({ fault, target }) => (target ? `${fault} ${target}` : fault));
    const seconds = Math.round(this.timeline.elapsed() / 1_000);
    this.input.print(
      `${seconds} s: ${this.traffic.answers.length} answers, ${this.traffic.inFlight} intents in flight` +
        (active.length > 0 ? `; ${active.join(', ')}` : ''),
    );
  }
}
