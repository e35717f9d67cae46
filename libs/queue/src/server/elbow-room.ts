import type { LaneWorker } from '../backends/backend.js';

export interface RoomSettings {
  /** Jobs at a time, while all of them are quick. */
  readonly usual: number;
  /** And however many are slow. */
  readonly most: number;
  /** From when on a job is slow. */
  readonly slowMs: number;
}

type ElasticWorker = Pick<LaneWorker, 'concurrency' | 'pause' | 'resume'>;

/**
 * Makes room beside jobs that take long, so that they hold nobody up. To let many in from the start would be dearer: a
 * worker at its limit is given the next job along with the completion of the one before, one that is not asks for it,
 * and then asks whether there is another.
 */
export class ElbowRoom {
  private slow = 0;

  constructor(
    private readonly settings: RoomSettings,
    /** None while the lane is not served. */
    private readonly worker: () => ElasticWorker | undefined,
  ) {}

  /** Once it has become slow, a job takes nobody's place. */
  async run(job: () => Promise<void>): Promise<void> {
    let isOver = (): void => undefined;
    const timer = setTimeout(() => {
      this.change(1);
      isOver = () => {
        this.change(-1);
      };
    }, this.settings.slowMs);
    try {
      await job();
    } finally {
      clearTimeout(timer);
      isOver();
    }
  }

  private change(by: number): void {
    this.slow += by;
    const worker = this.worker();
    if (!worker) return;
    const { usual, most } = this.settings;
    const before = worker.concurrency;
    worker.concurrency = Math.min(usual + this.slow, most);
    if (worker.concurrency > before) void lookAgain(worker);
  }
}

/**
 * BullMQ looks at its concurrency when a job begins or ends. At its limit it waits for that, unless it is resumed; which
 * costs a look for stalled jobs, too.
 */
async function lookAgain(worker: ElasticWorker): Promise<void> {
  await worker.pause(true);
  await worker.resume();
}
