import type { Limit } from './limit.js';

/** A bucket in memory, full at first. Limit and time (in milliseconds, never backwards) are given to it with every question. */
export class TokenBucket {
  private tokens = Infinity;
  private at = 0;

  /** Takes as many whole tokens as there are, up to `count`. */
  take(count: number, limit: Limit, now: number): number {
    const granted = Math.min(count, Math.floor(this.level(limit, now)));
    this.tokens -= granted;
    return granted;
  }

  level({ perSecond, burst }: Limit, now: number): number {
    this.tokens = Math.min(burst, this.tokens + ((now - this.at) * perSecond) / 1_000);
    this.at = now;
    return this.tokens;
  }

  /** Somebody knows better what it holds. */
  correct(tokens: number, now: number): void {
    this.tokens = tokens;
    this.at = now;
  }
}
