/** A token bucket: it refills at `perSecond` and holds at most `burst` tokens. Both are greater than zero. */
export interface Limit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The result of taking one token. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly fullInMs: number;
  /** Until the next token is available; 0 if one is. */
  readonly nextInMs: number;
}

/** Who took tokens of a bucket last. Enough to know of each caller when another one did. */
export interface LastCall {
  readonly caller: string;
  readonly agoMs: number;
  /** Since the last call of any other caller. */
  readonly otherAgoMs?: number | undefined;
}

/** So long a caller counts as in use after a call. */
export const inUseMs = 10_000;

export interface TokenRequest {
  readonly bucket: string;
  readonly count: number;
  readonly limit: Limit;
  /** Tokens above it are removed first. */
  readonly atMost?: number | undefined;
  /** What this process knows; only for buckets whose callers share them. */
  readonly lastCall?: LastCall | undefined;
}

export interface Grant {
  /** Whole tokens: as many as requested, or as there were. */
  readonly granted: number;
  /** What the bucket holds afterwards, with fractions. */
  readonly tokens: number;
  /** What all processes know. */
  readonly lastCall?: LastCall | undefined;
}

/** The buckets that all processes share. A new bucket is full. The store uses its own clock. */
export interface BucketStore {
  /** Takes tokens from several different buckets. @returns the grants in the order of the requests */
  take(requests: readonly TokenRequest[]): Promise<Grant[]>;
}
