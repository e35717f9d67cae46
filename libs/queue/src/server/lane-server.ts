import { setTimeout as pause } from 'node:timers/promises';
import type { LaneWorker } from '../backends/backend.js';
import type { QueueLogger } from '../observer.js';

const RETRY_MS = 1_000;

/**
 * Keeps one lane served. BullMQ remembers a worker's failed first connection for ever, so a worker is run only once it
 * has connected; until then another is made.
 */
export class LaneServer {
  private worker?: LaneWorker;
  private closing = false;
  private stopped = false;

  constructor(
    private readonly lane: string,
    private readonly make: () => LaneWorker,
    private readonly log: QueueLogger,
  ) {}

  /** False once it has ended without being asked to; a broker that is away does not end it. */
  get running(): boolean {
    return !this.stopped;
  }

  /** Whoever takes jobs at the moment. */
  get taking(): LaneWorker | undefined {
    return this.serving && !this.closing ? this.worker : undefined;
  }

  get serving(): boolean {
    return this.worker?.isRunning() ?? false;
  }

  start(): void {
    void this.serve()
      .catch((error: unknown) => {
        this.log.error({ lane: this.lane, err: error }, 'lane stopped');
      })
      .finally(() => {
        this.stopped = true;
      });
  }

  /** Waits for what is running, unless there is `nothing` that could be. */
  async close(nothing: boolean): Promise<void> {
    this.closing = true;
    await this.worker?.close(nothing);
  }

  private async serve(): Promise<void> {
    const worker = await this.connected();
    if (!worker) return;
    worker.on('failed', (job, error) => {
      this.log.warn({ lane: this.lane, job: job?.id, reason: error.message }, 'job failed');
    });
    await worker.run();
  }

  private async connected(): Promise<LaneWorker | undefined> {
    while (!this.closing) {
      const worker = this.make();
      this.worker = worker;
      try {
        await worker.waitUntilReady();
        return worker;
      } catch (error) {
        this.log.warn({ lane: this.lane, reason: String(error) }, 'lane cannot be served yet');
        await worker.close(true).catch(() => undefined);
        await pause(RETRY_MS);
      }
    }
    return undefined;
  }
}
