import { setTimeout as pause } from 'node:timers/promises';
import type { PoolUse } from '@gangan/protocol';
import type { Backend } from './backends/backend.js';
import { openBackend } from './backends/open-backend.js';
import { QueueClient } from './client/queue-client.js';
import { depthOf, type LaneDepth } from './lane.js';
import { Limits } from './limits/limits.js';
import { noObserver, type QueueLogger, type QueueObserver } from './observer.js';
import { QueueServer } from './server/queue-server.js';
import { defaultTuning, type QueueRole, type QueueSettings, type QueueTuning } from './settings.js';
import { Codec } from './wire/codec.js';

const firstRetryMs = 50;
const maxRetryMs = 1_000;

/**
 * The transport of one app: client, server and rate limits over one set of connections.
 * ```ts
 * const connection = { kind: 'redis', url };
 * const queues = await Queues.open({ connection, app: 'gateway', keys }, 'producer', logger);
 * const reply = await firstValueFrom(queues.client.send(contract, data));
 * ```
 */
export class Queues {
  readonly client: QueueClient;
  readonly server: QueueServer;
  /** Token buckets that all processes on this broker share. */
  readonly limits: Limits;

  private constructor(
    app: string,
    private readonly role: QueueRole,
    private readonly backend: Backend,
    codec: Codec,
    tuning: QueueTuning,
    logger: QueueLogger,
    observer: QueueObserver,
  ) {
    this.client = new QueueClient(app, backend, codec, tuning, logger, observer);
    this.server = new QueueServer(backend, codec, tuning, logger, observer);
    this.limits = new Limits(backend.buckets, tuning.limitTimeoutMs, logger);
  }

  static async open(
    settings: QueueSettings,
    role: QueueRole,
    logger: QueueLogger,
    observer: QueueObserver = noObserver,
  ): Promise<Queues> {
    const { app, keys } = settings;
    const codec = new Codec(app, keys);
    const backend = await openBackend(settings, role, logger);
    const tuning = { ...defaultTuning, ...settings.tuning };
    const queues = new Queues(app, role, backend, codec, tuning, logger, observer);
    if (role === 'worker') await queues.waitForBroker(logger);
    else void queues.client.listen();
    return queues;
  }

  /** @throws if the broker does not answer, replies cannot reach this process, or a lane is not served */
  async ping(): Promise<void> {
    await this.backend.ping();
    if (this.role === 'producer' && !this.client.listening) throw new Error('not listening for replies');
    if (!this.server.progress().serving) throw new Error('not all lanes are served');
  }

  depths(): Promise<LaneDepth[]> {
    return Promise.all(this.server.lanes().map((lane) => depthOf(this.backend, lane.name)));
  }

  /** Returns how the connection pool is used; undefined if the queues run in Redis. */
  poolUse(): PoolUse | undefined {
    return this.backend.poolUse?.();
  }

  /** Closes the connections. Close the client and the server first. */
  close(): Promise<void> {
    return this.backend.close();
  }

  private async waitForBroker(logger: QueueLogger): Promise<void> {
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
      try {
        await this.ping();
        return;
      } catch (error) {
        if (retryMs === maxRetryMs) logger.warn({ reason: String(error) }, 'waiting for the broker');
        await pause(retryMs);
      }
    }
  }
}
