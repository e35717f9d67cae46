import { parseDurations } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';

/** The timeouts of settlement. Times count from the submission, or from the creation if there was none. */
@Injectable()
export class SettlementSchedule {
  readonly callTimeoutMs: number;
  /** How long a worker holds the lease of a purchase: longer than a call can take. */
  readonly leaseMs: number;
  /**
   * From this time on `not_found` is final. A call starts within `callTimeoutMs` of the claim and lasts as long at
   * most, so no submission can still be in flight.
   */
  readonly notFoundAfterMs: number;
  private readonly queryAfterMs: readonly number[];
  private readonly maxMs: number;

  constructor(config: AirtimeConfig) {
    this.callTimeoutMs = config.AIRTIME_PROVIDER_TIMEOUT_MS;
    this.queryAfterMs = parseDurations(config.AIRTIME_ASK_AFTER) ?? [];
    this.maxMs = parseDurations(config.AIRTIME_GIVE_UP_AFTER)?.[0] ?? 0;
    const [firstMs = 0] = this.queryAfterMs;
    this.leaseMs = this.callTimeoutMs + firstMs;
    this.notFoundAfterMs = 2 * this.callTimeoutMs + firstMs;
  }

  /** The delay before the next try; `undefined` when no time is left. The last planned time repeats. */
  nextDelayMs(elapsedMs: number): number | undefined {
    if (elapsedMs >= this.maxMs) return undefined;
    const last = this.queryAfterMs.at(-1) ?? this.maxMs;
    const planned = this.queryAfterMs.find((after) => after > elapsedMs);
    const at = planned ?? (Math.floor(elapsedMs / last) + 1) * last;
    return Math.ceil(Math.min(at, this.maxMs) - elapsedMs);
  }
}
