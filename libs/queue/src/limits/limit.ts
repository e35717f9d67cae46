/** A token bucket: it refills at `perSecond` and holds at most `burst`. Both are more than zero. */
export interface Limit {
  readonly perSecond: number;
  readonly burst: number;
}

/** What became of an attempt to take one token. */
export interface LimitDecision {
  readonly allowed: boolean;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Until the bucket is full again. */
  readonly fullInMs: number;
  /** Until the next token is there; 0 while there is one. */
  readonly nextInMs: number;
}
