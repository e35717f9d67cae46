import { setTimeout as pause } from 'node:timers/promises';
import type { LaneWorker } from '../backends/backend.js';
import type { QueueLogger } from '../observer.js';

const retryMs = 1_000;

/**
 * Serves one lane. BullMQ never recovers from a worker's failed first connection, so a worker runs only once it has
 * connected; until then it is replaced by a new one.
 */
export class LaneServer {
  private worker?: LaneWorker;
  private closing = false;
  private stopped = false;

  constructor(
    private readonly lane: string,
    private readonly createWorker: () => LaneWorker,
    private readonly log: QueueLogger,
  ) {}

  /** `false` once the worker has ended without `close`. An unreachable broker does not end it. */
  get running(): boolean {
    return !this.stopped;
  }

  /** The worker, if it takes jobs at the moment. */
  get activeWorker(): LaneWorker | undefined {
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

  /** Waits for the jobs in flight, unless `force` is set. */
  async close(force: boolean): Promise<void> {
    this.closing = true;
    await this.worker?.close(force);
  }

  private async serve(): Promise<void> {
    const worker = await this.connect();
    if (!worker) return;
    worker.on('failed', (job, error) => {
      this.log.warn({ lane: this.lane, job: job?.id, reason: error.message }, 'job failed');
    });
    await worker.run();
  }

  private async connect(): Promise<LaneWorker | undefined> {
    while (!this.closing) {
      const worker = this.createWorker();
      this.worker = worker;
      try {
        await worker.waitUntilReady();
        return worker;
      } catch (error) {
        this.log.warn({ lane: this.lane, reason: String(error) }, 'lane cannot be served yet');
        await worker.close(true).catch(() => undefined);
        await pause(retryMs);
      }
    }
    return undefined;
  }
}
