import 'reflect-metadata';
import { newId } from '@gangan/protocol';
import { type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  defaultTuning,
  ErrorPassthroughFilter,
  MasterKeys,
  newQueueKey,
  QueueClient,
  type QueueConnection,
  type QueueLogger,
  type QueueObserver,
  Queues,
  type QueueSettings,
  type QueueTuning,
} from '../../src/index.js';
import { until } from '@gangan/testing';
import { Notebook, OracleController } from './oracle.controller.js';

/** Finds stalled jobs within a second, so that no test waits for half a minute. */
export const quickTuning: QueueTuning = {
  ...defaultTuning,
  lockDurationMs: 2_000,
  stalledIntervalMs: 500,
  drainTimeoutMs: 5_000,
};

export class LogBook implements QueueLogger {
  readonly lines: { level: string; message: string; details: object }[] = [];
  info = (details: object, message: string): void =>
    void this.lines.push({ level: 'info', message, details });
  warn = (details: object, message: string): void =>
    void this.lines.push({ level: 'warn', message, details });
  error = (details: object, message: string): void =>
    void this.lines.push({ level: 'error', message, details });
}

/** Counts what a metrics endpoint would count. */
export class Tally implements QueueObserver {
  readonly batches: number[] = [];
  readonly outcomes: string[] = [];
  readonly handledOutcomes: string[] = [];
  readonly parkedLanes: string[] = [];
  batchSent = (_lane: string, size: number): void => void this.batches.push(size);
  replied = (_contract: string, outcome: string): void => void this.outcomes.push(outcome);
  jobStarted = (): void => undefined;
  handled = (_contract: string, outcome: string): void => void this.handledOutcomes.push(outcome);
  parked = (lane: string): void => void this.parkedLanes.push(lane);
}

/** Gateways and workers on one broker, closed together at the end of a test. */
export class System {
  readonly settings: QueueSettings;
  readonly master = newQueueKey();
  readonly log = new LogBook();
  readonly tally = new Tally();
  private readonly closers: (() => Promise<void>)[] = [];

  constructor(connection: QueueConnection, tuning: Partial<QueueTuning> = {}) {
    this.settings = {
      connection,
      app: 'gateway',
      keys: new MasterKeys([this.master]),
      namespace: `t${newId().slice(-12)}`,
      tuning: { ...quickTuning, ...tuning },
    };
  }

  async gateway(settings: QueueSettings = this.settings): Promise<Queues> {
    const queues = await Queues.open(settings, 'producer', this.log, this.tally);
    this.closers.push(async () => {
      await queues.client.close();
      await queues.close();
    });
    await until('the broker responds', () =>
      queues.ping().then(
        () => true,
        () => false,
      ),
    );
    return queues;
  }

  async worker(settings: QueueSettings = this.settings): Promise<Worker> {
    return this.serve(await Queues.open({ ...settings, app: 'oracle' }, 'worker', this.log, this.tally));
  }

  async serve(queues: Queues): Promise<Worker> {
    const notebook = new Notebook();
    const providers = [
      { provide: Notebook, useValue: notebook },
      { provide: QueueClient, useValue: queues.client },
    ];
    @Module({ controllers: [OracleController], providers })
    class OracleModule {}
    const app = await NestFactory.createMicroservice(OracleModule, {
      strategy: queues.server,
      logger: false,
    });
    app.useGlobalFilters(new ErrorPassthroughFilter());
    await app.listen();
    const worker = new Worker(app, queues, notebook);
    this.closers.push(() => worker.stop());
    return worker;
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).reverse()) await close();
  }
}

export class Worker {
  private stopped?: Promise<void>;

  constructor(
    private readonly app: INestMicroservice,
    readonly queues: Queues,
    readonly notebook: Notebook,
  ) {}

  /** As on SIGTERM. */
  stop(): Promise<void> {
    this.stopped ??= (async () => {
      await this.app.close();
      await this.queues.close();
    })();
    return this.stopped;
  }
}
