import { type AppLogger, PeriodicTask } from '@gangan/runtime';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { DueCondition } from './due-condition.js';
import { LeaseLostError } from './lease-table.js';
import { RetrySchedule } from './retry-schedule.js';

const intervalMs = 1_000;
const firstDelayMs = 500;

/** A job that this worker has claimed, until its lease ends. */
export interface ClaimedJob {
  /** How many claims in a row made no progress, with this one. Reset it to 0 when progress is written. */
  readonly stalls: number;
}

export interface LeasedJob<C extends ClaimedJob> {
  /** The name of the job in the log, such as `import`. */
  readonly name: string;
  readonly concurrency: number;
  /** How many claims in a row may make no progress before the job fails for good. */
  readonly maxStalls: number;
  /** The upper bound of the delay before a stalled job is claimed again. */
  readonly maxDelayMs: number;
  /** Whether a job may be due. Without it, the table is asked once a second. */
  readonly isDue?: DueCondition;
  describe(claim: C): object;
  /** Claims the job that has been due for longest, if there is one. */
  claimNext(): Promise<C | undefined>;
  /** Runs a slice of the job, a few seconds long. `signal` asks it to end early. @throws LeaseLostError */
  runSlice(claim: C, signal: AbortSignal): Promise<void>;
  release(claim: C, delayMs: number): Promise<void>;
  fail(claim: C): Promise<void>;
}

/**
 * Runs long jobs that are stored in a table, a slice of each in turn. Due jobs are looked for once a second: new ones,
 * released ones, and those whose lease has expired because their worker died. Call `look` when an event announces a job.
 * A provider whose job has `isDue` is called by `DueSweeps`.
 */
export class LeasedJobRunner<C extends ClaimedJob>
  implements OnApplicationBootstrap, BeforeApplicationShutdown
{
  private readonly polling: PeriodicTask;
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<void>>();
  private readonly schedule: RetrySchedule;
  private canClaim = true;

  constructor(
    readonly job: LeasedJob<C>,
    private readonly logger: Pick<AppLogger, 'info' | 'warn' | 'error'>,
  ) {
    const { name, maxDelayMs: maxMs, maxStalls: maxAttempts } = job;
    this.polling = new PeriodicTask(`looking for due ${name}s`, intervalMs, () => this.look(), logger);
    this.schedule = new RetrySchedule({ firstMs: firstDelayMs, maxMs, maxAttempts });
  }

  onApplicationBootstrap(): void {
    if (!this.job.isDue) this.polling.start();
  }

  /** Slices in flight end early; the next worker continues where they left off. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.polling.stop();
    await this.idle();
  }

  async idle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Starts due jobs if a slot is free, and does not wait for them. Returns false: the next look is a second later. */
  look(): Promise<boolean> {
    if (this.running.size < this.job.concurrency && !this.stopping.signal.aborted) {
      const run = this.runDue().finally(() => this.running.delete(run));
      this.running.add(run);
    }
    return Promise.resolve(false);
  }

  private async runDue(): Promise<void> {
    try {
      for (let claim = await this.claimNext(); claim; claim = await this.claimNext()) {
        // There may be more: let another slot look for them.
        void this.look();
        await this.runSlice(claim);
      }
      this.report(true);
    } catch (error) {
      this.report(false, error);
    }
  }

  /** Logs only changes: one line per outage of the database, not one per second. */
  private report(canClaim: boolean, error?: unknown): void {
    const { name: job } = this.job;
    if (!canClaim && this.canClaim) this.logger.warn({ err: error, job }, 'cannot claim due jobs');
    if (canClaim && !this.canClaim) this.logger.info({ job }, 'can claim due jobs again');
    this.canClaim = canClaim;
  }

  private async claimNext(): Promise<C | undefined> {
    return this.stopping.signal.aborted ? undefined : this.job.claimNext();
  }

  private async runSlice(claim: C): Promise<void> {
    try {
      // A worker that dies cannot release its claim; if all of them died, the job itself may be the cause.
      if (claim.stalls > this.job.maxStalls) throw new Error('Every worker that claimed it has died');
      await this.job.runSlice(claim, this.stopping.signal);
    } catch (error) {
      await this.retryOrFail(claim, error);
    }
  }

  private async retryOrFail(claim: C, error: unknown): Promise<void> {
    const line = { job: this.job.name, ...this.job.describe(claim) };
    const delayMs = this.schedule.delayAfter(claim.stalls);
    if (error instanceof LeaseLostError) {
      this.logger.info(line, 'lost its lease; another worker continues');
    } else if (delayMs === undefined) {
      this.logger.error({ ...line, err: error }, 'made no progress too often and has failed');
      await this.job.fail(claim);
    } else {
      this.logger.warn({ ...line, err: error, delayMs }, 'made no progress; it will be retried');
      await this.job.release(claim, delayMs);
    }
  }
}
