import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { AppLogger } from '../logging/app-logger.js';
import { PeriodicTask } from './periodic-task.js';

const restMs = 1_000;
const firstPauseMs = 250;

/** Somebody else has taken it up meanwhile, or it has ended: nothing more is to be done about it here. */
export class LeaseLostError extends Error {}

/** What one worker has taken up, for as long as its lease runs. */
export interface Leased {
  /** Attempts without coming further, this one included. */
  readonly stalls: number;
}

export interface LeasedJob<H extends Leased> {
  /** For the log: an import, an expansion. */
  readonly what: string;
  /** At a time, in one worker. */
  readonly seats: number;
  /** Attempts without coming further, after which it is given up. */
  readonly mostStalls: number;
  readonly longestPauseMs: number;
  /** What the log tells of it. */
  describe(held: H): object;
  /** Takes up whatever has been due for longest, if anything. */
  take(): Promise<H | undefined>;
  /** Carries a piece of it out. `signal` asks to leave off early. @throws LeaseLostError, or whatever hinders it */
  carryOn(held: H, signal: AbortSignal): Promise<void>;
  giveBack(held: H, pauseMs: number): Promise<void>;
  giveUp(held: H): Promise<void>;
}

/**
 * Where work is carried out that waits in a table: so much at a time, a piece of each and then the next. What waits is
 * looked for there, be it new, interrupted or left behind by a worker that died.
 */
export class LeasedJobRunner<H extends Leased> implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly repeating: PeriodicTask;
  private readonly leaving = new AbortController();
  private readonly seats = new Set<Promise<void>>();
  private looking = true;

  constructor(
    private readonly work: LeasedJob<H>,
    private readonly logger: Pick<AppLogger, 'info' | 'warn' | 'error'>,
  ) {
    this.repeating = new PeriodicTask(`looking for ${work.what}s`, restMs, () => this.look(), logger);
  }

  onApplicationBootstrap(): void {
    this.repeating.start();
  }

  /** What is under way is left where it is: whoever takes it up goes on from there. */
  async beforeApplicationShutdown(): Promise<void> {
    this.leaving.abort();
    await this.repeating.stop();
    await this.idle();
  }

  /** Waits until everybody has got up. */
  async idle(): Promise<void> {
    while (this.seats.size > 0) await Promise.all(this.seats);
  }

  /** Sits down to what waits, if there is room. It is not waited for. */
  look(): Promise<boolean> {
    if (this.seats.size < this.work.seats && !this.leaving.signal.aborted) {
      const seat = this.sit().finally(() => this.seats.delete(seat));
      this.seats.add(seat);
    }
    return Promise.resolve(false);
  }

  private async sit(): Promise<void> {
    try {
      for (let held = await this.next(); held; held = await this.next()) {
        // There may be more than one.
        void this.look();
        await this.carry(held);
      }
      this.tellOfLooking(true);
    } catch (error) {
      this.tellOfLooking(false, error);
    }
  }

  /** Once, not every second for as long as the database is away. */
  private tellOfLooking(works: boolean, error?: unknown): void {
    const { what } = this.work;
    if (!works && this.looking) this.logger.warn({ err: error, what }, 'could not look for work');
    if (works && !this.looking) this.logger.info({ what }, 'looks for work again');
    this.looking = works;
  }

  private async next(): Promise<H | undefined> {
    return this.leaving.signal.aborted ? undefined : this.work.take();
  }

  private async carry(held: H): Promise<void> {
    try {
      // Whoever took it up before died of it: nobody was left to put it off.
      if (held.stalls > this.work.mostStalls) throw new Error('It outlived all who took it up');
      await this.work.carryOn(held, this.leaving.signal);
    } catch (error) {
      await this.putOff(held, error);
    }
  }

  private async putOff(held: H, error: unknown): Promise<void> {
    const { what, mostStalls, longestPauseMs } = this.work;
    const line = { what, ...this.work.describe(held) };
    if (error instanceof LeaseLostError) {
      this.logger.info(line, 'was taken over by another worker');
    } else if (held.stalls >= mostStalls) {
      this.logger.error({ ...line, err: error }, 'failed too often, and is given up');
      await this.work.giveUp(held);
    } else {
      this.logger.warn({ ...line, err: error }, 'did not come further; it is tried again');
      await this.work.giveBack(held, Math.min(firstPauseMs * 2 ** held.stalls, longestPauseMs));
    }
  }
}
