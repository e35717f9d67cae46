import type { Grant, Limit, LimitDecision, TokenRequest } from './bucket-store.js';
import { LastCallers } from './last-callers.js';

/** A bucket in memory, full at first. Each call passes the limit and the time, in milliseconds. */
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

  /** Replaces the level by one that the store reported. */
  correct(tokens: number, now: number): void {
    this.tokens = tokens;
    this.at = now;
  }
}

/** Each call prefetches the expected demand of this time, up to this part of the burst. */
const prefetchMs = 100;
const maxPrefetchPart = 0.1;
/** Prefetched tokens that were not used for this long are discarded: the shared bucket has refilled meanwhile. */
const keptMs = 1_000;
/** An empty bucket is requested again no sooner than this. */
const minDelayMs = 10;

type Waiting = (decision: LimitDecision) => void;

/** What this process knows of one shared bucket, and the tokens it has prefetched. */
export class LocalBucket {
  /** The store's level as last reported; the bucket itself while the store is unreachable. */
  private readonly shared = new TokenBucket();
  private waiting: Waiting[] = [];
  private prefetched = 0;
  private prefetchedUntil = 0;
  private emptyUntil = 0;
  private demand = 0;
  private requestedAt = 0;
  private requested = 0;
  /** The next request lowers the shared bucket to this level. */
  private atMost: number | undefined;
  readonly callers = new LastCallers();
  /** Whether the caller of this bucket has to share another one. */
  isShare = false;

  constructor(
    private readonly name: string,
    public limit: Limit,
  ) {}

  /** Decides from prefetched tokens, or refuses while the bucket cannot have refilled; `undefined` if only the store knows. */
  takePrefetched(now: number): LimitDecision | undefined {
    this.demand += 1;
    this.discardOld(now);
    if (this.prefetched > 0) {
      this.prefetched -= 1;
      return this.decision(true, now);
    }
    return now < this.emptyUntil ? this.decision(false, now) : undefined;
  }

  /** Keeps tokens that were granted and not used. */
  giveBack(count: number, now: number): void {
    this.discardOld(now);
    this.prefetched += count;
    this.prefetchedUntil = now + keptMs;
  }

  private discardOld(now: number): void {
    if (now >= this.prefetchedUntil) this.prefetched = 0;
  }

  /** Decides alone, while the store is unreachable. */
  takeAlone(now: number): LimitDecision {
    return this.decision(this.shared.take(1, this.limit, now) === 1, now);
  }

  wait(waiting: Waiting): void {
    this.waiting.push(waiting);
  }

  get isAwaited(): boolean {
    return this.waiting.length > 0;
  }

  /** Requests tokens for all callers that wait, and for the demand that is expected next. */
  request(now: number): TokenRequest {
    const expected = (this.demand * prefetchMs) / Math.max(prefetchMs, now - this.requestedAt);
    const ahead = Math.floor(Math.min(expected, this.limit.burst * maxPrefetchPart));
    this.demand = 0;
    this.requestedAt = now;
    this.requested = this.waiting.length + ahead;
    const { name: bucket, requested: count, limit, atMost } = this;
    this.atMost = undefined;
    return { bucket, count, limit, atMost, lastCall: this.callers.report(now) };
  }

  /** Removes the tokens above this level, here and with the next request. */
  lowerTo(level: number, now: number): void {
    this.prefetched = 0;
    this.atMost = level;
    this.shared.correct(Math.min(level, this.shared.level(this.limit, now)), now);
  }

  /** Serves callers in the order of arrival. Those after the request wait for the next one, unless the bucket is empty. */
  receive({ granted, tokens, lastCall }: Grant, now: number): void {
    if (lastCall) this.callers.receive(lastCall, now);
    const served = this.waiting.splice(0, granted);
    const refused = granted < this.requested ? this.waiting.splice(0) : [];
    this.shared.correct(tokens, now);
    this.giveBack(granted - served.length, now);
    if (refused.length > 0) this.emptyUntil = now + Math.max(minDelayMs, this.nextInMs(tokens));
    for (const decide of served) decide(this.decision(true, now));
    for (const decide of refused) decide(this.decision(false, now));
  }

  /** Decides alone for all callers that wait, because the store did not answer. */
  fallBack(now: number): void {
    for (const decide of this.waiting.splice(0)) decide(this.takeAlone(now));
  }

  /** Whether deleting the bucket changes nothing: it is full, no caller waits, and none is in use. */
  isIdle(now: number): boolean {
    if (this.isAwaited || this.callers.isInUse(now)) return false;
    return now >= this.prefetchedUntil && this.level(now) === this.limit.burst;
  }

  private decision(allowed: boolean, now: number): LimitDecision {
    const level = this.level(now);
    return {
      allowed,
      remaining: allowed ? Math.floor(level) : 0,
      fullInMs: ((this.limit.burst - level) / this.limit.perSecond) * 1_000,
      nextInMs: this.nextInMs(level),
    };
  }

  level(now: number): number {
    return Math.min(this.limit.burst, this.prefetched + this.shared.level(this.limit, now));
  }

  private nextInMs(tokens: number): number {
    return tokens >= 1 ? 0 : ((1 - tokens) / this.limit.perSecond) * 1_000;
  }
}
