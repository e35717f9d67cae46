/** A token bucket: it refills at `perSecond` and holds at most `burst` tokens. Both are greater than zero. */
export interface Limit {
  readonly perSecond: number;
  readonly burst: number;
}

/** The result of taking one token. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** The number of whole tokens that are left. */
  readonly remaining: number;
  /** The time until the bucket is full again. */
  readonly fullInMs: number;
  /** The time until the next token is available; 0 if one is available now. */
  readonly nextInMs: number;
}

/** Who took tokens of a bucket last. This is enough to know for each caller when another one took tokens. */
export interface LastCall {
  readonly caller: string;
  readonly agoMs: number;
  /** The time since the last call of any other caller. */
  readonly otherAgoMs?: number | undefined;
}

/** A caller counts as in use for this time after a call. */
export const inUseMs = 10_000;

export interface TokenRequest {
  readonly bucket: string;
  readonly count: number;
  readonly limit: Limit;
  /** Tokens above this level are removed first. */
  readonly atMost?: number | undefined;
  /** The last callers that this process knows; only for buckets whose callers share them. */
  readonly lastCall?: LastCall | undefined;
}

export interface Grant {
  /** The number of whole tokens that were taken; fewer than requested if there were not enough. */
  readonly granted: number;
  /** The tokens that are left in the bucket, with fractions. */
  readonly tokens: number;
  /** The last callers that all processes know. */
  readonly lastCall?: LastCall | undefined;
}

/** The buckets that all processes share. A new bucket is full. The store uses its own clock. */
export interface BucketStore {
  /** Takes tokens from several different buckets. @returns the grants in the order of the requests */
  take(requests: readonly TokenRequest[]): Promise<Grant[]>;
}
