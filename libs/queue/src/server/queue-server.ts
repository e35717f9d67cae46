import { setTimeout as pause } from 'node:timers/promises';
import { type Contract, withTimeout } from '@gangan/protocol';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { Job } from 'bullmq';
import type { Backend, LaneWorker, LaneWorkerOptions } from '../backends/backend.js';
import { type Lane, type LaneKind, laneOf } from '../lane.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import type { Codec } from '../wire/codec.js';
import { BatchProcessor } from './batch-processor.js';
import { ElbowRoom } from './elbow-room.js';
import { EventProcessor } from './event-processor.js';
import type { HandlerExtras } from './handles.decorator.js';
import { JobsInHand } from './jobs-in-hand.js';
import { LaneServer } from './lane-server.js';
import { MemberRunner } from './member-runner.js';
import { JobReader } from './read-job.js';
import { ReplySender } from './reply-sender.js';

const IDLE_GRACE_MS = 2_000;

/** The answering end of the transport: a Nest strategy that serves the lanes its handlers' contracts name. */
export class QueueServer extends Server implements CustomTransportStrategy {
  private readonly contracts = new Map<string, Contract>();
  private readonly servers: LaneServer[] = [];
  private readonly inHand = new JobsInHand();
  private readonly replies: ReplySender;
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

  /** `listen` refuses to start while one of these has no handler. */
  requireHandlers(contracts: readonly Contract[]): void {
    this.required = contracts;
  }

  override addHandler(
    name: string,
    handler: MessageHandler,
    isEventHandler?: boolean,
    extras?: object,
  ): void {
    const { contract } = (extras ?? {}) as Partial<HandlerExtras>;
    if (!contract) throw new Error(`The handler of ${name} names no contract: use @Handles(contract)`);
    if (this.contracts.has(name)) throw new Error(`The contract ${name} has two handlers`);
    this.contracts.set(name, contract);
    super.addHandler(name, handler, isEventHandler);
  }

  override listen(callback: (error?: unknown) => void): void {
    try {
      this.refuseMissingHandlers();
      this.backend.refuseTooManyLanes(this.lanes().length);
      for (const lane of this.lanes()) this.serve(lane);
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Lanes this process serves. */
  lanes(): Lane[] {
    return [...new Map([...this.contracts.values()].map(laneOf).map((lane) => [lane.name, lane])).values()];
  }

  /**
   * What a health check needs to tell a stuck process from an idle one: whether no lane has stopped for good, whether
   * every lane is being served at the moment, and for how long the oldest job has been in hand.
   */
  progress(): { running: boolean; serving: boolean; oldestActiveMs: number } {
    return {
      running: this.draining || this.servers.every((server) => server.running),
      serving: this.servers.every((server) => server.serving),
      oldestActiveMs: this.inHand.oldestMs,
    };
  }

  /** Takes no more work and waits for what is running, within bounds; what has not ended by then is let go of. */
  override async close(): Promise<void> {
    this.draining = true;
    // BullMQ would wait for the broker to come back, and keep its timers until then.
    const isIdle = (): boolean => this.inHand.count === 0;
    const nothing = isIdle() && (await this.isAway()) && isIdle();
    const drained = Promise.all(this.servers.map((server) => server.close(nothing))).then(() =>
      this.replies.settled(),
    );
    await Promise.race([drained, this.lateness()]);
    if (this.inHand.count === 0) return;
    this.log.warn(
      { jobs: this.inHand.count },
      'closed with jobs still running; another worker will take them',
    );
    this.inHand.letGo();
    await Promise.race([drained, this.lateness()]);
  }

  private isAway(): Promise<boolean> {
    return withTimeout(IDLE_GRACE_MS, this.backend.ping()).then(
      () => false,
      () => true,
    );
  }

  /** When nothing runs any more, only a broker that is away can hold the closing up. */
  private async lateness(): Promise<void> {
    const until = performance.now() + this.tuning.drainTimeoutMs;
    let idleSince = performance.now();
    while (performance.now() < until && performance.now() - idleSince < IDLE_GRACE_MS) {
      await pause(50, undefined, { ref: false });
      if (this.inHand.count > 0) idleSince = performance.now();
    }
  }

  override on(): void {
    throw new Error('The transport has no events to listen to; pass an observer instead');
  }

  override unwrap(): never {
    throw new Error('The transport keeps its connections to itself');
  }

  private refuseMissingHandlers(): void {
    const missing = this.required.filter(({ name }) => !this.contracts.has(name)).map(({ name }) => name);
    if (missing.length > 0) throw new Error(`No handler for ${missing.join(', ')}`);
  }

  private serve(lane: Lane): void {
    const processor = this.processorOf(lane);
    const room = this.roomOf(lane, () => server.taking);
    const work = (job: Job): Promise<void> => this.inHand.hold(() => room.run(() => processor.process(job)));
    const make = (): LaneWorker => this.backend.worker(lane.name, work, this.optionsOf(lane));
    const server = new LaneServer(lane.name, make, this.log);
    this.servers.push(server);
    server.start();
  }

  private roomOf({ kind }: Lane, worker: () => LaneWorker | undefined): ElbowRoom {
    const { maxBatchConcurrency, slowJobMs: slowMs } = this.tuning;
    const usual = this.concurrencyOf(kind);
    const most = kind === 'batch' ? Math.max(usual, maxBatchConcurrency) : usual;
    return new ElbowRoom({ usual, most, slowMs }, worker);
  }

  private optionsOf({ kind }: Lane): LaneWorkerOptions {
    return {
      autorun: false,
      concurrency: this.concurrencyOf(kind),
      lockDuration: this.tuning.lockDurationMs,
      stalledInterval: this.tuning.stalledIntervalMs,
      maxStalledCount: this.tuning.maxStalledCount,
      runRetryDelay: 1_000,
    };
  }

  private processorOf({ kind, name }: Lane): BatchProcessor | EventProcessor {
    const find = (pattern: string): MessageHandler | null => this.messageHandlers.get(pattern) ?? null;
    const reader = new JobReader(name, this.codec, this.log, this.observer);
    const runner = new MemberRunner(find, this.log, this.observer);
    if (kind === 'events') return new EventProcessor(name, reader, runner, this.log, this.observer);
    return new BatchProcessor(
      name,
      this.backend,
      reader,
      runner,
      this.replies,
      this.codec,
      this.log,
      this.observer,
    );
  }

  private concurrencyOf(kind: LaneKind): number {
    const { batchConcurrency, singleConcurrency, eventConcurrency } = this.tuning;
    return { batch: batchConcurrency, single: singleConcurrency, events: eventConcurrency }[kind];
  }
}
