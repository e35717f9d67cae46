import { WaitingError } from 'bullmq';

interface InHand {
  readonly since: number;
  letGo(): void;
}

/** What a worker process has begun and not ended. */
export class JobsInHand {
  private readonly jobs = new Set<InHand>();

  get count(): number {
    return this.jobs.size;
  }

  /** For how long the oldest has been in hand; 0 when there is none. */
  get oldestMs(): number {
    const since = [...this.jobs].map((job) => job.since);
    return since.length === 0 ? 0 : performance.now() - Math.min(...since);
  }

  hold(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const letGo = (): void => {
        reject(new WaitingError());
      };
      const inHand: InHand = { since: performance.now(), letGo };
      this.jobs.add(inHand);
      work()
        .finally(() => this.jobs.delete(inHand))
        .then(resolve, reject);
    });
  }

  /** To BullMQ they wait elsewhere: it neither ends them nor renews their locks, so that another worker takes them. */
  letGo(): void {
    for (const job of this.jobs) job.letGo();
    this.jobs.clear();
  }
}
