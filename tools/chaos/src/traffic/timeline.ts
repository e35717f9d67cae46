import { setTimeout as pause } from 'node:timers/promises';

/** What an attempt of a client ended with: a status, or no response. */
export type AttemptResult = number | 'none';

export interface TimedAttempt {
  /** Since the start of the traffic. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly result: AttemptResult;
}

export interface ResponseTimes {
  readonly medianMs: number;
  /** 99 % of the attempts took at most this. */
  readonly p99Ms: number;
  readonly longestMs: number;
}

/** The attempts of the clients. */
export class Timeline {
  readonly attempts: TimedAttempt[] = [];
  private readonly startedAt = performance.now();

  /** Milliseconds since the start of the traffic. */
  elapsed(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  /** Waits until this time since the start of the traffic. */
  async at(ms: number, signal: AbortSignal): Promise<void> {
    const delayMs = ms - this.elapsed();
    // A time that has passed needs no timer, which takes at least a millisecond and longer on a busy machine.
    if (delayMs > 0) await pause(delayMs, undefined, { signal });
  }

  add(beganMs: number, result: AttemptResult): void {
    this.attempts.push({ beganMs, endedMs: this.elapsed(), result });
  }

  responseTimes(): ResponseTimes {
    const sorted = this.attempts
      .map(({ beganMs, endedMs }) => endedMs - beganMs)
      .toSorted((one, other) => one - other);
    const at = (share: number): number => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
    return { medianMs: at(0.5), p99Ms: at(0.99), longestMs: at(1) };
  }

  totals(): Record<string, number> {
    const totals: Record<string, number> = {};
    for (const { result } of this.attempts) totals[result] = (totals[result] ?? 0) + 1;
    return totals;
  }
}
