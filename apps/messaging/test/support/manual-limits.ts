import type { Limit, LimitDecision } from '@gangan/queue';

/** The buckets of recipients refill only when a test says so. All others are always full. */
export class ManualLimits {
  private readonly taken = new Map<string, number>();
  /** Of the last request of each bucket. */
  readonly limits = new Map<string, Limit>();

  take(bucket: string, limit: Limit): Promise<LimitDecision> {
    this.limits.set(bucket, limit);
    const taken = this.taken.get(bucket) ?? 0;
    const allowed = taken < Math.floor(limit.burst) || !bucket.startsWith('pair:');
    if (allowed) this.taken.set(bucket, taken + 1);
    return Promise.resolve({ allowed, remaining: 0, fullInMs: 0, nextInMs: 1 });
  }

  refill(): void {
    this.taken.clear();
  }
}
