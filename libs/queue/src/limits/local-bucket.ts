import type { Ask, Grant } from './bucket-store.js';
import type { Limit, LimitDecision } from './limit.js';
import { TokenBucket } from './token-bucket.js';

/** So much of the coming demand is fetched with each call, but never more than this part of the burst. */
const AHEAD_MS = 100;
const AHEAD_PART = 0.1;
/** What was fetched and not used for so long is let go: the shared bucket has refilled meanwhile. */
const HOLD_MS = 1_000;
/** After an empty bucket, the store is asked again no sooner than this. */
const MIN_PAUSE_MS = 10;

type Waiting = (taken: LimitDecision) => void;

/** What this process knows and holds of one shared bucket. */
export class LocalBucket {
  /** What the store holds, as far as is known; the bucket itself while the store is away. */
  private readonly shared = new TokenBucket();
  private waiting: Waiting[] = [];
  private held = 0;
  private heldUntil = 0;
  private emptyUntil = 0;
  private asked = 0;
  private askedAt = 0;
  private count = 0;

  constructor(
    private readonly name: string,
    public limit: Limit,
  ) {}

  /** From what this process holds, or a refusal while the bucket cannot have refilled; else the store has to be asked. */
  takeHeld(now: number): LimitDecision | undefined {
    this.asked += 1;
    if (now >= this.heldUntil) this.held = 0;
    if (this.held > 0) {
      this.held -= 1;
      return this.taken(true, now);
    }
    return now < this.emptyUntil ? this.taken(false, now) : undefined;
  }

  /** For as long as the store is away. */
  takeAlone(now: number): LimitDecision {
    return this.taken(this.shared.take(1, this.limit, now) === 1, now);
  }

  wait(waiting: Waiting): void {
    this.waiting.push(waiting);
  }

  get isAwaited(): boolean {
    return this.waiting.length > 0;
  }

  /** For all who wait, and for those who will come soon if they come as they did. */
  ask(now: number): Ask {
    const expected = (this.asked * AHEAD_MS) / Math.max(AHEAD_MS, now - this.askedAt);
    const ahead = Math.floor(Math.min(expected, this.limit.burst * AHEAD_PART));
    this.asked = 0;
    this.askedAt = now;
    this.count = this.waiting.length + ahead;
    return { bucket: this.name, count: this.count, limit: this.limit };
  }

  /** Who came first is served first. Who came too late for this call waits for the next, unless the bucket is empty. */
  receive({ granted, tokens }: Grant, now: number): void {
    const served = this.waiting.splice(0, granted);
    const refused = granted < this.count ? this.waiting.splice(0) : [];
    this.shared.correct(tokens, now);
    this.held = granted - served.length;
    this.heldUntil = now + HOLD_MS;
    if (refused.length > 0) this.emptyUntil = now + Math.max(MIN_PAUSE_MS, this.nextInMs(tokens));
    for (const answer of served) answer(this.taken(true, now));
    for (const answer of refused) answer(this.taken(false, now));
  }

  /** The store did not answer. */
  fallBack(now: number): void {
    for (const answer of this.waiting.splice(0)) answer(this.takeAlone(now));
  }

  /** Forgetting it changes nothing: nobody waits, and nothing is held or missing. */
  isIdle(now: number): boolean {
    return !this.isAwaited && now >= this.heldUntil && this.level(now) === this.limit.burst;
  }

  private taken(allowed: boolean, now: number): LimitDecision {
    const level = this.level(now);
    return {
      allowed,
      remaining: allowed ? Math.floor(level) : 0,
      fullInMs: ((this.limit.burst - level) / this.limit.perSecond) * 1_000,
      nextInMs: this.nextInMs(level),
    };
  }

  private level(now: number): number {
    return Math.min(this.limit.burst, this.held + this.shared.level(this.limit, now));
  }

  private nextInMs(tokens: number): number {
    return tokens >= 1 ? 0 : ((1 - tokens) / this.limit.perSecond) * 1_000;
  }
}
