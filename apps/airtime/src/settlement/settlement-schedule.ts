import { maxStartMs, PollSchedule } from '@gangan/leases';
import { parseDurations } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';

/** The timeouts of settlement. Times count from the submission, or from the creation if there was none. */
@Injectable()
export class SettlementSchedule {
  readonly callTimeoutMs: number;
  /** How long a worker holds the lease of a purchase: longer than a call can take. */
  readonly leaseMs: number;
  /** A call starts within this time after the purchase is marked as submitted, or not at all. */
  readonly startMs: number;
  /**
   * From this time on `not_found` is final. A call starts within `startMs` after the purchase is marked as submitted and
   * lasts `callTimeoutMs` at most, so no submission can still be in flight; the first query time is left for the provider to store it.
   */
  readonly notFoundAfterMs: number;
  /** How long an unfinished purchase is tried. */
  readonly giveUpAfterMs: number;
  private readonly queries: PollSchedule;

  constructor(config: AirtimeConfig) {
    this.callTimeoutMs = config.AIRTIME_PROVIDER_TIMEOUT_MS;
    const queryTimesMs = parseDurations(config.AIRTIME_ASK_AFTER) ?? [];
    this.giveUpAfterMs = parseDurations(config.AIRTIME_GIVE_UP_AFTER)?.[0] ?? 0;
    this.queries = new PollSchedule(queryTimesMs, this.giveUpAfterMs);
    const [firstMs = 0] = queryTimesMs;
    this.leaseMs = this.callTimeoutMs + firstMs;
    this.startMs = Math.min(maxStartMs, this.callTimeoutMs);
    this.notFoundAfterMs = this.startMs + this.callTimeoutMs + firstMs;
  }

  /** The delay before the next try; `undefined` when no time is left. The last planned time repeats. */
  nextDelayMs(elapsedMs: number): number | undefined {
    return this.queries.delayAfter(elapsedMs);
  }
}
