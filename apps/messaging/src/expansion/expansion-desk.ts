import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ExpansionRepository } from './expansion.repository.js';
import { ExpansionService } from './expansion.service.js';
import { type Held, LeaseLost, LeasesRepository } from './leases.repository.js';

const restMs = 1_000;
/** At a time, in one worker. */
const mostSeats = 2;
/** With the pauses in between, about a day. */
const mostStalls = 150;
const longestPauseMs = 600_000;

/** Where smartlists are expanded: new ones, and those that were interrupted or left behind by a worker that died. */
@Injectable()
export class ExpansionDesk implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly repeating: Repeating;
  private readonly leaving = new AbortController();
  private readonly seats = new Set<Promise<void>>();

  constructor(
    private readonly leases: LeasesRepository,
    private readonly service: ExpansionService,
    private readonly repository: ExpansionRepository,
    private readonly logger: AppLogger,
  ) {
    this.repeating = new Repeating('looking for smartlists to expand', restMs, () => this.look(), logger);
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
  look(): Promise<false> {
    if (this.seats.size < mostSeats && !this.leaving.signal.aborted) {
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
    } catch (error) {
      this.logger.warn({ err: error }, 'could not look for smartlists to expand');
    }
  }

  private async next(): Promise<Held | undefined> {
    return this.leaving.signal.aborted ? undefined : this.leases.take();
  }

  private async carry(held: Held): Promise<void> {
    try {
      await this.service.carryOn(held, this.leaving.signal);
    } catch (error) {
      await this.putOff(held, error);
    }
  }

  private async putOff(held: Held, error: unknown): Promise<void> {
    const line = { message: held.messageId, organisationId: held.organisationId };
    if (error instanceof LeaseLost) {
      this.logger.info(line, 'a smartlist was taken over by another worker');
    } else if (held.stalls >= mostStalls) {
      this.logger.error(
        { ...line, err: error },
        'a smartlist could not be expanded; the rest was given back',
      );
      await this.repository.finish(held, 'failed');
    } else {
      this.logger.warn({ ...line, err: error }, 'a smartlist did not come further; it is tried again');
      await this.leases.giveBack(held, Math.min(250 * 2 ** held.stalls, longestPauseMs));
    }
  }
}
