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

export interface TokenRequest {
  readonly bucket: string;
  readonly count: number;
  readonly limit: Limit;
}

export interface Grant {
  /** Whole tokens: as many as requested, or as there were. */
  readonly granted: number;
  /** What the bucket holds afterwards, with fractions. */
  readonly tokens: number;
}

/** The buckets that all processes share. A new bucket is full. The store uses its own clock. */
export interface BucketStore {
  /** Takes tokens from several different buckets. @returns the grants in the order of the requests */
  take(requests: readonly TokenRequest[]): Promise<Grant[]>;
}
