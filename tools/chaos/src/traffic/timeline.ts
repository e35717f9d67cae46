/** What an attempt of a client ended with: a status, or no response. */
export type AttemptResult = number | 'none';

export interface TimedAttempt {
  /** Since the start of the traffic. */
  readonly beganMs: number;
  readonly endedMs: number;
  readonly result: AttemptResult;
}

/** The attempts of the clients. */
export class Timeline {
  readonly attempts: TimedAttempt[] = [];
  private readonly startedAt = performance.now();
  private readonly counts = new Map<number, Map<AttemptResult, number>>();

  /** Milliseconds since the start of the traffic. */
  elapsed(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  add(beganMs: number, result: AttemptResult): void {
    this.attempts.push({ beganMs, endedMs: this.elapsed(), result });
    const second = Math.floor(this.elapsed() / 1_000);
    const counts = this.counts.get(second) ?? new Map<AttemptResult, number>();
    counts.set(result, (counts.get(result) ?? 0) + 1);
    this.counts.set(second, counts);
  }

  /** By second, then by result. */
  perSecond(): Readonly<Record<string, number>>[] {
    const last = Math.max(-1, ...this.counts.keys());
    return Array.from({ length: last + 1 }, (_, second) => Object.fromEntries(this.counts.get(second) ?? []));
  }

  totals(): Record<string, number> {
    const totals: Record<string, number> = {};
    for (const counts of this.counts.values())
      for (const [result, count] of counts) totals[result] = (totals[result] ?? 0) + count;
    return totals;
  }
}
