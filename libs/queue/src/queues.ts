import { setTimeout as pause } from 'node:timers/promises';
import { QueueSealer } from '@gangan/sealing';
import type { Backend } from './backends/backend.js';
import { openBackend } from './backends/open-backend.js';
import { QueueClient } from './client/queue-client.js';
import { depthOf, type LaneDepth } from './depths.js';
import { Limits } from './limits/limits.js';
import { noObserver, type QueueLogger, type QueueObserver } from './observer.js';
import { QueueServer } from './server/queue-server.js';
import { defaultTuning, type QueueSettings, type QueueTuning } from './settings.js';
import { Codec } from './wire/codec.js';

/** `producer` never waits for the broker; `worker` waits for it before it starts. */
export type QueueRole = 'producer' | 'worker';

const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 1_000;

/** The transport of one process: its connections, and both ends of them. */
export class Queues {
  readonly client: QueueClient;
  readonly server: QueueServer;
  /** Token buckets that all processes on this broker share. */
  readonly limits: Limits;

  private constructor(
    private readonly role: QueueRole,
    private readonly backend: Backend,
    codec: Codec,
    tuning: QueueTuning,
    logger: QueueLogger,
    observer: QueueObserver,
  ) {
    this.client = new QueueClient(backend, codec, tuning, logger, observer);
    this.server = new QueueServer(backend, codec, tuning, logger, observer);
    this.limits = new Limits(backend.buckets, tuning.limitTimeoutMs, logger);
  }

  static async open(
    settings: QueueSettings,
    role: QueueRole,
    logger: QueueLogger,
    observer: QueueObserver = noObserver,
  ): Promise<Queues> {
    const codec = new Codec(new QueueSealer(settings.keys));
    const backend = await openBackend(settings, logger);
    const queues = new Queues(
      role,
      backend,
      codec,
      { ...defaultTuning, ...settings.tuning },
      logger,
      observer,
    );
    if (role === 'worker') await queues.arrival(logger);
    else void queues.client.listen();
    return queues;
  }

  /** @throws when the broker does not answer, or this process cannot hear its answers or serve its lanes */
  async ping(): Promise<void> {
    await this.backend.ping();
    if (this.role === 'producer' && !this.client.listening) throw new Error('not listening for answers');
    if (!this.server.progress().serving) throw new Error('not all lanes are served');
  }

  /** The lanes this process serves. */
  depths(): Promise<LaneDepth[]> {
    return Promise.all(this.server.lanes().map((lane) => depthOf(this.backend, lane.name)));
  }

  /** Closes the connections; client and server are to be closed before. */
  close(): Promise<void> {
    return this.backend.close();
  }

  private async arrival(logger: QueueLogger): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(2 * retryMs, MAX_RETRY_MS)) {
      try {
        await this.ping();
        return;
      } catch (error) {
        if (retryMs === MAX_RETRY_MS) logger.warn({ reason: String(error) }, 'waiting for the broker');
        await pause(retryMs);
      }
    }
  }
}
