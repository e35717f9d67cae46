export interface RetryOptions {
  /** The jitter as a fraction of the delay: 0.2 is ± 20 %. It spreads the retries of work that failed at the same time. */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** An exponential schedule: `firstMs`, then twice as long each time, up to `maxMs`. */
export interface Exponential {
  readonly firstMs: number;
  readonly maxMs: number;
  /** The number of attempts in all; unbounded by default. */
  readonly maxAttempts?: number;
}

/** When failed work is tried again: after a list of delays, or with an exponential backoff. */
export class RetrySchedule {
  /** How many attempts are made in all, with the first. */
  readonly maxAttempts: number;
  private readonly plannedMs: (attempts: number) => number | undefined;
  private readonly jitter: number;
  private readonly random: () => number;

  /** @param delays the delay after the first attempt, after the second, …; the attempt after the last delay is the last */
  constructor(
    delays: readonly number[] | Exponential,
    { jitter = 0, random = Math.random }: RetryOptions = {},
  ) {
    if ('firstMs' in delays) {
      const { firstMs, maxMs, maxAttempts = Infinity } = delays;
      this.maxAttempts = maxAttempts;
      this.plannedMs = (attempts) => Math.min(firstMs * 2 ** (attempts - 1), maxMs);
    } else {
      this.maxAttempts = delays.length + 1;
      this.plannedMs = (attempts) => delays[attempts - 1];
    }
    this.jitter = jitter;
    this.random = random;
  }

  isLast(attempts: number): boolean {
    return attempts >= this.maxAttempts;
  }

  /**
   * @param attempts how many attempts have failed, at least 1
   * @param requestedMs the delay that the other side asked for (`Retry-After`): used if longer, up to twice the planned one
   * @returns the delay before the next attempt, or `undefined` if that was the last
   */
  delayAfter(attempts: number, requestedMs = 0): number | undefined {
    const planned = this.isLast(attempts) ? undefined : this.plannedMs(attempts);
    if (planned === undefined) return undefined;
    const varied = planned * (1 - this.jitter + 2 * this.jitter * this.random());
    return Math.round(Math.max(varied, Math.min(requestedMs, 2 * planned)));
  }
}

/**
 * When an outcome that is not known yet is asked for again: at fixed times after the start, then at intervals of the last
 * time, until `untilMs`. With the times 5 s, 30 s and 1 h: after 5 s, 30 s, 1 h, 2 h, 3 h, …
 */
export class PollSchedule {
  constructor(
    private readonly timesMs: readonly number[],
    private readonly untilMs: number,
  ) {}

  /** @returns the delay before the next poll, or `undefined` once `untilMs` has passed since the start */
  delayAfter(elapsedMs: number): number | undefined {
    if (elapsedMs >= this.untilMs) return undefined;
    const interval = this.timesMs.at(-1) ?? this.untilMs;
    const planned = this.timesMs.find((time) => time > elapsedMs);
    const next = planned ?? (Math.floor(elapsedMs / interval) + 1) * interval;
    return Math.ceil(Math.min(next, this.untilMs) - elapsedMs);
  }
}
