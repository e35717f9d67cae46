import type { LaneWorker } from '../backends/backend.js';

export interface ConcurrencySettings {
  /** How many jobs run at a time while all of them are quick. */
  readonly default: number;
  /** How many jobs run at a time at most, however many of them are slow. */
  readonly max: number;
  /** A job that takes longer than this is slow. */
  readonly slowMs: number;
}

type AdjustableWorker = Pick<LaneWorker, 'concurrency' | 'pause' | 'resume'>;

/**
 * Raises the concurrency of a lane by one for each slow job, so that slow jobs delay no others. A high concurrency from
 * the start would cost more: a worker at its limit gets the next job when it completes the last, but a worker below its
 * limit asks once for the job and once more for another.
 */
export class AdaptiveConcurrency {
  private slow = 0;

  constructor(
    private readonly settings: ConcurrencySettings,
    /** Returns the worker of the lane; `undefined` while the lane is not served. */
    private readonly worker: () => AdjustableWorker | undefined,
  ) {}

  async run(job: () => Promise<void>): Promise<void> {
    let end = (): void => undefined;
    const timer = setTimeout(() => {
      this.change(1);
      end = () => {
        this.change(-1);
      };
    }, this.settings.slowMs);
    try {
      await job();
    } finally {
      clearTimeout(timer);
      end();
    }
  }

  private change(by: number): void {
    this.slow += by;
    const worker = this.worker();
    if (!worker) return;
    const before = worker.concurrency;
    worker.concurrency = Math.min(this.settings.default + this.slow, this.settings.max);
    if (worker.concurrency > before) void fetchMore(worker);
  }
}

/** BullMQ checks its concurrency only when a job starts or ends; resuming makes it check now, and look for stalled jobs. */
async function fetchMore(worker: AdjustableWorker): Promise<void> {
  await worker.pause(true);
  await worker.resume();
}
