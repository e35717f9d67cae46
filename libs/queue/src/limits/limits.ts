import { describeError, runWithoutContext, withTimeout } from '@gangan/protocol';
import type { QueueLogger } from '../observer.js';
import type { BucketStore, Grant, Limit, LimitDecision } from './bucket-store.js';
import { LocalBucket } from './local-bucket.js';

/** An unreachable store is tried again after this time, by one call. */
const retryMs = 1_000;
/** Beyond this many buckets, idle ones are deleted. */
const maxBuckets = 10_000;

/**
 * Token buckets that all processes on one broker share.
 * ```ts
 * const { allowed, nextInMs } = await limits.take(`key ${apiKeyId}`, { perSecond: 100, burst: 200 });
 * ```
 * One call to the store is in flight at a time, for all buckets together. It prefetches a few tokens, so most tokens are
 * taken without a call. Prefetched tokens have left the shared bucket: all processes together never exceed the limit. While
 * the store is unreachable, each process applies the limits alone.
 */
export class Limits {
  private readonly buckets = new Map<string, LocalBucket>();
  private readonly waiting = new Set<LocalBucket>();
  private scheduled = false;
  private calling = false;
  private unreachable = false;
  private retryAt = 0;

  constructor(
    private readonly store: BucketStore,
    private readonly timeoutMs: number,
    private readonly logger: QueueLogger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes one token. It never fails, and waits for the store up to the timeout. */
  async take(name: string, limit: Limit): Promise<LimitDecision> {
    return this.takeAtOnce(name, limit);
  }

  /** Takes one token like `take`, but without a promise if this process can decide alone. */
  takeAtOnce(name: string, limit: Limit): LimitDecision | Promise<LimitDecision> {
    const now = this.now();
    const bucket = this.bucket(name, limit, now);
    const decision = bucket.takePrefetched(now);
    if (decision) return decision;
    if (this.unreachable && (this.calling || now < this.retryAt)) return bucket.takeAlone(now);
    return new Promise((resolve) => {
      bucket.wait(resolve);
      this.waiting.add(bucket);
      this.callSoon();
    });
  }

  /**
   * Notes that one of the callers of a bucket is about to take tokens.
   * @param own the caller's own bucket, of which it takes tokens as well while it has to share. It then begins with half
   *   of what the shared bucket still holds
   * @returns whether it has to share: another caller has taken tokens within the last 10 s, as far as this process knows
   */
  hasToShare(name: string, limit: Limit, caller: string, own: string, ownLimit: Limit): boolean {
    const now = this.now();
    const bucket = this.bucket(name, limit, now);
    const hasToShare = bucket.callers.note(caller, now);
    if (!hasToShare && !this.buckets.has(own)) return false;
    const share = this.bucket(own, ownLimit, now);
    if (hasToShare && !share.isShare) share.lowerTo(Math.max(1, bucket.level(now) / 2), now);
    share.isShare = hasToShare;
    return hasToShare;
  }

  /** Gives tokens back that were taken and not used: the next calls of this process take them first. */
  giveBack(name: string, limit: Limit, count: number): void {
    const now = this.now();
    this.bucket(name, limit, now).giveBack(count, now);
  }

  private bucket(name: string, limit: Limit, now: number): LocalBucket {
    let bucket = this.buckets.get(name);
    if (!bucket) {
      if (this.buckets.size >= maxBuckets) this.deleteIdle(now);
      bucket = new LocalBucket(name, limit);
      this.buckets.set(name, bucket);
    }
    bucket.limit = limit;
    return bucket;
  }

  private deleteIdle(now: number): void {
    for (const [name, bucket] of this.buckets) if (bucket.isIdle(now)) this.buckets.delete(name);
  }

  /** Requests of one turn of the event loop, or made while a call is in flight, share a call. */
  private callSoon(): void {
    if (this.scheduled || this.calling) return;
    this.scheduled = true;
    runWithoutContext(() =>
      setImmediate(() => {
        this.scheduled = false;
        void this.call();
      }),
    );
  }

  private async call(): Promise<void> {
    const buckets = [...this.waiting].filter(({ isAwaited }) => isAwaited);
    this.waiting.clear();
    if (buckets.length === 0) return;
    this.calling = true;
    const call = this.store.take(buckets.map((bucket) => bucket.request(this.now())));
    await withTimeout(this.timeoutMs, call).then(
      (grants) => {
        this.succeeded(buckets, grants);
      },
      (error: unknown) => {
        this.failed(buckets, error);
      },
    );
    // A call that is late still occupies the store: a second one beside it would slow it down further.
    await call.catch(() => undefined);
    this.calling = false;
    if (this.waiting.size > 0) this.callSoon();
  }

  private succeeded(buckets: readonly LocalBucket[], grants: readonly Grant[]): void {
    if (this.unreachable) this.logger.info({}, 'rate limits are shared again');
    this.unreachable = false;
    const now = this.now();
    buckets.forEach((bucket, index) => {
      bucket.receive(grants[index] ?? { granted: 0, tokens: 0 }, now);
    });
  }

  private failed(buckets: readonly LocalBucket[], error: unknown): void {
    if (!this.unreachable) {
      const reason = describeError(error);
      this.logger.warn(
        { reason },
        'the store of the rate limits does not answer: this process applies them alone',
      );
    }
    this.unreachable = true;
    const now = this.now();
    this.retryAt = now + retryMs;
    for (const bucket of new Set([...buckets, ...this.waiting])) bucket.fallBack(now);
    this.waiting.clear();
  }
}
