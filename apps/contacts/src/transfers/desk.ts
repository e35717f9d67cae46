import { newContext, runInContext } from '@gangan/protocol';
import { type AppLogger, Repeating } from '@gangan/runtime';
import { type Held, Hopeless, LeaseLost } from './held.js';
import type { Leases } from './leases.js';
import type { TransferKind, TransferMetrics } from './transfer-metrics.js';

const restMs = 1_000;
const mostStalls = 20;
const longestPauseMs = 60_000;

/** Carries a piece of the work out: about a few seconds' worth. `signal` asks to leave off early. */
export type CarryOn = (held: Held, signal: AbortSignal) => Promise<void>;

/**
 * Where imports, or exports, are carried out: so many at a time, each for a while and then the next. What waits is
 * looked for in the table, be it new, interrupted or left behind by a worker that died.
 */
export class Desk {
  private readonly repeating: Repeating;
  private readonly leaving = new AbortController();
  private readonly seats = new Set<Promise<void>>();
  private inHand = 0;

  constructor(
    private readonly what: TransferKind,
    private readonly mostSeats: number,
    private readonly leases: Leases,
    private readonly carryOn: CarryOn,
    private readonly metrics: TransferMetrics,
    private readonly logger: Pick<AppLogger, 'info' | 'warn'>,
  ) {
    this.repeating = new Repeating(`looking for ${what}s`, restMs, () => this.look(), logger);
  }

  open(): void {
    this.repeating.start();
  }

  /** What is under way is left where it is: whoever takes it up goes on from there. */
  async close(): Promise<void> {
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
    if (this.seats.size < this.mostSeats && !this.leaving.signal.aborted) {
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
        this.metrics.showRunning(this.what, (this.inHand += 1));
        await this.carry(held).finally(() => {
          this.metrics.showRunning(this.what, (this.inHand -= 1));
        });
      }
    } catch (error) {
      this.logger.warn({ err: error, what: this.what }, 'could not look for work');
    }
  }

  private async next(): Promise<Held | undefined> {
    return this.leaving.signal.aborted ? undefined : this.leases.take();
  }

  private async carry(held: Held): Promise<void> {
    const { id, organisationId } = held;
    await runInContext(newContext({ operationId: id, organisationId }), async () => {
      try {
        // Whoever took it up before died of it: nobody was left to put it off.
        if (held.stalls > mostStalls) throw new Error('It outlived all who took it up');
        await this.carryOn(held, this.leaving.signal);
      } catch (error) {
        await this.putOff(held, error);
      }
    });
  }

  private async putOff(held: Held, error: unknown): Promise<void> {
    const line = { what: this.what, id: held.id };
    if (error instanceof LeaseLost) {
      this.logger.info(line, 'was taken over by another worker');
    } else if (error instanceof Hopeless) {
      this.logger.info(line, 'failed for good');
      await this.leases.fail(held, error.message);
      this.metrics.countEnd(this.what, 'failed');
    } else if (held.stalls >= mostStalls) {
      this.logger.warn({ ...line, err: error }, 'failed too often');
      await this.leases.fail(held, 'Something went wrong on our side, again and again');
      this.metrics.countEnd(this.what, 'given_up');
    } else {
      this.logger.warn({ ...line, err: error }, 'did not come further; it is tried again');
      await this.leases.giveBack(held, Math.min(250 * 2 ** held.stalls, longestPauseMs));
      this.metrics.countStall(this.what);
    }
  }
}
