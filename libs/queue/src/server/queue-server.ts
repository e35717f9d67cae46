import type { Contract } from '@gangan/protocol';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import type { Job } from 'bullmq';
import type { Backend, LaneWorker } from '../backends/backend.js';
import { type Lane, type LaneKind, laneOf } from '../lane.js';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { QueueTuning } from '../settings.js';
import type { Codec } from '../wire/codec.js';
import { BatchProcessor } from './batch-processor.js';
import { EventProcessor } from './event-processor.js';
import type { HandlerExtras } from './handles.decorator.js';
import { MemberRunner } from './member-runner.js';
import { ReplySender } from './reply-sender.js';

/** The answering end of the transport: a Nest strategy that serves the lanes its handlers' contracts name. */
export class QueueServer extends Server implements CustomTransportStrategy {
  private readonly contracts = new Map<string, Contract>();
  private readonly workers = new Map<string, LaneWorker>();
  private readonly active = new Map<Job, number>();
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

  /** Whether work is being done: what a health check needs to tell a stuck process from an idle one. */
  progress(): { running: boolean; oldestActiveMs: number } {
    const oldest = Math.min(...this.active.values());
    return {
      running: this.draining || [...this.workers.values()].every((worker) => worker.isRunning()),
      oldestActiveMs: this.active.size === 0 ? 0 : performance.now() - oldest,
    };
  }

  /** Takes no more work and waits for what is running, within bounds. */
  override async close(): Promise<void> {
    this.draining = true;
    const drained = Promise.all([...this.workers.values()].map((worker) => worker.close()));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, this.tuning.drainMs, 'late');
    });
    const outcome = await Promise.race([drained, late]);
    clearTimeout(timer);
    if (outcome !== 'late') return;
    this.log.warn(
      { jobs: this.active.size },
      'closed with jobs still running; another worker will take them',
    );
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
    const worker = this.backend.worker(lane.name, (job) => this.watch(job, () => processor.process(job)), {
      autorun: false,
      concurrency: this.concurrencyOf(lane.kind),
      lockDuration: this.tuning.lockDurationMs,
      stalledInterval: this.tuning.stalledIntervalMs,
      maxStalledCount: this.tuning.maxStalledCount,
      runRetryDelay: 1_000,
    });
    this.workers.set(lane.name, worker);
    void worker.run().catch((error: unknown) => {
      this.log.error({ lane: lane.name, err: error }, 'lane stopped');
    });
  }

  private processorOf({ kind, name }: Lane): BatchProcessor | EventProcessor {
    const find = (pattern: string): MessageHandler | null => this.messageHandlers.get(pattern) ?? null;
    const runner = new MemberRunner(find, this.codec, this.log, this.observer);
    if (kind === 'events') return new EventProcessor(name, runner, this.log, this.observer);
    const replies = new ReplySender(this.backend.replies, this.log);
    return new BatchProcessor(name, this.backend, runner, replies, this.codec, this.log, this.observer);
  }

  private concurrencyOf(kind: LaneKind): number {
    const { batchConcurrency, aloneConcurrency, eventConcurrency } = this.tuning;
    return { batch: batchConcurrency, alone: aloneConcurrency, events: eventConcurrency }[kind];
  }

  private async watch(job: Job, work: () => Promise<void>): Promise<void> {
    this.active.set(job, performance.now());
    try {
      await work();
    } finally {
      this.active.delete(job);
    }
  }
}
