import { parseDurations } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';

/** How long whom is waited for. All times count from when the purchase was handed over (or made, if nobody took it). */
@Injectable()
export class Patience {
  /** A provider that has not answered by then is not waited for any longer. */
  readonly callMs: number;
  private readonly askAfterMs: readonly number[];
  private readonly giveUpAfterMs: number;

  constructor(config: AirtimeConfig) {
    this.callMs = config.AIRTIME_PROVIDER_TIMEOUT_MS;
    this.askAfterMs = parseDurations(config.AIRTIME_ASK_AFTER) ?? [];
    this.giveUpAfterMs = parseDurations(config.AIRTIME_GIVE_UP_AFTER)?.[0] ?? 0;
  }

  /** How long a purchase belongs to the worker that took it: a little longer than a call can take. */
  get leaseMs(): number {
    return this.callMs + this.firstMs;
  }

  /**
   * When a provider says that it never heard of a purchase, it may still be on its way to it. A call starts within
   * `callMs` of its mark and lasts as long at most, so that after this time nothing of ours is under way.
   */
  get unheardAfterMs(): number {
    return 2 * this.callMs + this.firstMs;
  }

  /** In how many milliseconds to look again; `undefined` when it is time to give up. */
  next(elapsedMs: number): number | undefined {
    if (elapsedMs >= this.giveUpAfterMs) return undefined;
    const last = this.askAfterMs.at(-1) ?? this.giveUpAfterMs;
    const planned = this.askAfterMs.find((after) => after > elapsedMs);
    const at = planned ?? (Math.floor(elapsedMs / last) + 1) * last;
    return Math.ceil(Math.min(at, this.giveUpAfterMs) - elapsedMs);
  }

  private get firstMs(): number {
    return this.askAfterMs[0] ?? 0;
  }
}
