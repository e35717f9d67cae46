import { runWithoutContext, withTimeout, describeError } from '@gangan/protocol';
import type { QueueLogger } from '../observer.js';
import type { BucketStore, Grant } from './bucket-store.js';
import type { Limit, LimitDecision } from './limit.js';
import { LocalBucket } from './local-bucket.js';

/** While the store is away it is tried again this often, by one call. */
const RETRY_MS = 1_000;
/** Beyond so many buckets, those that are of no use are forgotten. */
const ROOM = 10_000;

/**
 * Token buckets that all processes share. One call to the store is under way at a time, for all buckets together, and
 * fetches a little ahead: most tokens are taken without a call. What is fetched has left the shared bucket, so that
 * all processes together never exceed it. While the store is away each process keeps the limits alone.
 */
export class Limits {
  private readonly buckets = new Map<string, LocalBucket>();
  private readonly waiting = new Set<LocalBucket>();
  private scheduled = false;
  private calling = false;
  private away = false;
  private retryAt = 0;

  constructor(
    private readonly store: BucketStore,
    private readonly patienceMs: number,
    private readonly logger: QueueLogger,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes one token. It never fails, and waits for the store no longer than the patience allows. */
  async take(name: string, limit: Limit): Promise<LimitDecision> {
    const now = this.now();
    const bucket = this.bucket(name, limit, now);
    const taken = bucket.takeHeld(now);
    if (taken) return taken;
    if (this.away && (this.calling || now < this.retryAt)) return bucket.takeAlone(now);
    return new Promise((resolve) => {
      bucket.wait(resolve);
      this.waiting.add(bucket);
      this.schedule();
    });
  }

  private bucket(name: string, limit: Limit, now: number): LocalBucket {
    let bucket = this.buckets.get(name);
    if (!bucket) {
      if (this.buckets.size >= ROOM) this.forgetIdle(now);
      bucket = new LocalBucket(name, limit);
      this.buckets.set(name, bucket);
    }
    bucket.limit = limit;
    return bucket;
  }

  private forgetIdle(now: number): void {
    for (const [name, bucket] of this.buckets) if (bucket.isIdle(now)) this.buckets.delete(name);
  }

  /** Those who come in one turn of the event loop, or while a call is under way, ask together. */
  private schedule(): void {
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
    const call = this.store.take(buckets.map((bucket) => bucket.ask(this.now())));
    await withTimeout(this.patienceMs, call).then(
      (grants) => {
        this.found(buckets, grants);
      },
      (error: unknown) => {
        this.lost(buckets, error);
      },
    );
    // A late one occupies the store until it ends: another beside it would only make things worse.
    await call.catch(() => undefined);
    this.calling = false;
    if (this.waiting.size > 0) this.schedule();
  }

  private found(buckets: readonly LocalBucket[], grants: readonly Grant[]): void {
    if (this.away) this.logger.info({}, 'rate limits are shared again');
    this.away = false;
    const now = this.now();
    buckets.forEach((bucket, index) => {
      bucket.receive(grants[index] ?? { granted: 0, tokens: 0 }, now);
    });
  }

  /** A store that is known to be away is tried by one bucket's callers; all others are answered meanwhile. */
  private lost(buckets: readonly LocalBucket[], error: unknown): void {
    if (!this.away) {
      const reason = describeError(error);
      this.logger.warn({ reason }, 'rate limits are kept by this process alone: their store does not answer');
    }
    this.away = true;
    const now = this.now();
    this.retryAt = now + RETRY_MS;
    for (const bucket of new Set([...buckets, ...this.waiting])) bucket.fallBack(now);
    this.waiting.clear();
  }
}
