import { setTimeout as pause } from 'node:timers/promises';
import { type Contract, LogInterval, withTimeout } from '@gangan/protocol';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { Job } from 'bullmq';
import type { Backend, LaneWorkerOptions } from '../backends/backend.js';
import { type Lane, type LaneKind, laneOf } from '../lane.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import type { Codec } from '../wire/codec.js';
import { BatchProcessor } from './batch-processor.js';
import { AdaptiveConcurrency } from './adaptive-concurrency.js';
import { type CheckedLane, ConsumptionCheck, consumptionRounds, probeJob } from './consumption-check.js';
import { ConsumptionWatch } from './consumption-watch.js';
import { EventProcessor } from './event-processor.js';
import type { HandlerMetadata } from './handles.decorator.js';
import { JobsInFlight } from './jobs-in-flight.js';
import { LaneActivity } from './lane-activity.js';
import { LaneServer } from './lane-server.js';
import { MemberRunner } from './member-runner.js';
import { JobReader } from './job-reader.js';
import { ReplySender } from './reply-sender.js';
import { TogetherRunner } from './together-runner.js';

const idleGraceMs = 2_000;
const concurrencyOf = {
  batch: 'batchConcurrency',
  single: 'singleConcurrency',
  events: 'eventConcurrency',
} as const;

/** The server of the transport: a Nest strategy that serves the lanes of the contracts that have handlers. */
export class QueueServer extends Server implements CustomTransportStrategy {
  private readonly contracts = new Map<string, Contract>();
  private readonly batchHandlers = new Map<string, MessageHandler>();
  private readonly servers: LaneServer[] = [];
  private readonly checks: ConsumptionCheck[] = [];
  private consumption?: ConsumptionWatch;
  private readonly inFlight = new JobsInFlight();
  private readonly replies: ReplySender;
  private readonly repeated = new LogInterval();
  private required: readonly Contract[] = [];
  private draining = false;

  constructor(
    private readonly backend: Backend,
    private readonly codec: Codec,
    private readonly tuning: QueueTuning,
    private readonly log: QueueLogger,
    private readonly observer: QueueObserver,
  ) {
    super();
    this.replies = new ReplySender(backend.replies, codec, log);
  }

  /** `listen` fails if one of these has no handler. */
  requireHandlers(contracts: readonly Contract[]): void {
    this.required = contracts;
  }

  override addHandler(
    name: string,
    handler: MessageHandler,
    isEventHandler?: boolean,
    extras?: object,
  ): void {
    const { contract, together } = (extras ?? {}) as Partial<HandlerMetadata>;
    if (!contract) throw new Error(`The handler of ${name} has no contract: use @Handles(contract)`);
    const known = together ? this.batchHandlers : this.contracts;
    if (known.has(contract.name)) throw new Error(`The contract ${contract.name} has two handlers`);
    if (together) {
      this.batchHandlers.set(contract.name, handler);
      return;
    }
    this.contracts.set(name, contract);
    super.addHandler(name, handler, isEventHandler);
  }

  override listen(callback: (error?: unknown) => void): void {
    try {
      const required = [...this.required.map(({ name }) => name), ...this.batchHandlers.keys()];
      const missing = required.filter((name) => !this.contracts.has(name));
      if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`);
      this.backend.checkConnections();
      for (const lane of this.lanes()) this.serve(lane);
      callback();
    } catch (error) {
      callback(error);
    }
  }

  lanes(): Lane[] {
    return [...new Map([...this.contracts.values()].map(laneOf).map((lane) => [lane.name, lane])).values()];
  }

  /**
   * For health checks, to tell a stuck process from an idle one: whether no lane has stopped for good (`running`), whether
   * every lane is served at the moment (`serving`), and for how long the oldest job has been in flight.
   */
  progress(): { running: boolean; serving: boolean; oldestActiveMs: number } {
    return {
      running: this.draining || this.servers.every((server) => server.running),
      serving: this.servers.every((server) => server.serving),
      oldestActiveMs: this.inFlight.oldestMs,
    };
  }

  /** Waits for a lane whose jobs this process has stopped taking. @returns its name; `undefined` if the server was closed */
  async untilStuck(): Promise<string | undefined> {
    this.consumption ??= new ConsumptionWatch(this.checks, this.checkIntervalMs);
    const lane = await this.consumption.untilStuck();
    // A server that is being closed takes no jobs either.
    return this.draining ? undefined : lane;
  }

  /** Takes no more jobs and waits for those in flight, up to the drain timeout; then another worker gets them. */
  override async close(): Promise<void> {
    this.draining = true;
    this.consumption?.stop();
    // Without jobs, BullMQ would only wait for an unreachable broker to come back.
    const isIdle = (): boolean => this.inFlight.count === 0;
    const force = isIdle() && (await this.isUnreachable()) && isIdle();
    const drained = Promise.all(this.servers.map((server) => server.close(force))).then(() =>
      this.replies.idle(),
    );
    await Promise.race([drained, this.drainTimeout()]);
    if (this.inFlight.count === 0) return;
    this.log.warn({ jobs: this.inFlight.count }, 'closed with jobs in flight; another worker will run them');
    this.inFlight.abandonAll();
    await Promise.race([drained, this.drainTimeout()]);
  }

  private isUnreachable(): Promise<boolean> {
    return withTimeout(idleGraceMs, this.backend.ping()).then(
      () => false,
      () => true,
    );
  }

  /** Resolves after the drain timeout, or shortly after the last job has ended: an unreachable broker is not waited for. */
  private async drainTimeout(): Promise<void> {
    const until = performance.now() + this.tuning.drainTimeoutMs;
    let idleSince = performance.now();
    while (performance.now() < until && performance.now() - idleSince < idleGraceMs) {
      await pause(50, undefined, { ref: false });
      if (this.inFlight.count > 0) idleSince = performance.now();
    }
  }

  override on(): void {
    throw new Error('The transport emits no events; pass an observer instead');
  }

  override unwrap(): never {
    throw new Error('The transport does not expose its connections');
  }

  private get checkIntervalMs(): number {
    return this.tuning.stuckAfterMs / consumptionRounds;
  }

  private serve({ kind, name }: Lane): void {
    const { tuning } = this;
    const concurrency = tuning[concurrencyOf[kind]];
    const max = kind === 'batch' ? Math.max(concurrency, tuning.maxBatchConcurrency) : concurrency;
    const adaptive = new AdaptiveConcurrency(
      { default: concurrency, max, slowMs: tuning.slowJobMs },
      () => server.activeWorker,
    );
    const processor = this.processorOf(kind, name);
    const activity = new LaneActivity();
    const work = async (job: Job): Promise<void> => {
      if (job.name === probeJob) return;
      await this.inFlight.run(() => activity.run(() => adaptive.run(() => processor.process(job))));
    };
    const options: LaneWorkerOptions = {
      autorun: false,
      concurrency,
      lockDuration: tuning.lockDurationMs,
      stalledInterval: tuning.stalledIntervalMs,
      maxStalledCount: tuning.maxStalledCount,
      drainDelay: tuning.idleIntervalS,
      runRetryDelay: 250,
    };
    const server = new LaneServer(name, () => this.backend.worker(name, work, options), this.log);
    this.servers.push(server);
    this.checks.push(new ConsumptionCheck(this.checkedLane(name, activity, server), this.checkIntervalMs));
    server.start();
  }

  private checkedLane(name: string, activity: LaneActivity, server: LaneServer): CheckedLane {
    return {
      name,
      activity,
      get connecting() {
        return server.running && !server.serving;
      },
      queue: () => this.backend.queue(name),
    };
  }

  private processorOf(kind: LaneKind, lane: string): BatchProcessor | EventProcessor {
    const { backend, codec, log: logger, observer, replies } = this;
    const find = (pattern: string): MessageHandler | null => this.messageHandlers.get(pattern) ?? null;
    const reader = new JobReader(lane, codec, (name) => this.contracts.get(name)?.senders, logger, observer);
    const runner = new MemberRunner(find, logger, observer, this.repeated);
    if (kind === 'events') return new EventProcessor(lane, reader, runner, logger, observer);
    const together = new TogetherRunner(this.batchHandlers, runner, logger, observer);
    return new BatchProcessor(lane, backend, reader, runner, together, replies, codec, logger, observer);
  }
}
