import { WaitingError } from 'bullmq';

interface InFlight {
  readonly since: number;
  abandon(): void;
}

/** The jobs that a worker process has started and not ended. */
export class JobsInFlight {
  private readonly jobs = new Set<InFlight>();

  get count(): number {
    return this.jobs.size;
  }

  /** For how long the oldest job has been running; 0 if there is no job. */
  get oldestMs(): number {
    const since = [...this.jobs].map((job) => job.since);
    return since.length === 0 ? 0 : performance.now() - Math.min(...since);
  }

  run(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        reject(new WaitingError());
      };
      const job: InFlight = { since: performance.now(), abandon };
      this.jobs.add(job);
      work()
        .finally(() => this.jobs.delete(job))
        .then(resolve, reject);
    });
  }

  /** BullMQ then neither ends the jobs nor renews their locks, so that another worker gets them. */
  abandonAll(): void {
    for (const job of this.jobs) job.abandon();
    this.jobs.clear();
  }
}
