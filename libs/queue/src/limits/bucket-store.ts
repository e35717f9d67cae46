import type { Limit } from './limit.js';

export interface Ask {
  readonly bucket: string;
  readonly count: number;
  readonly limit: Limit;
}

export interface Grant {
  /** Whole tokens, as many as were asked for or as there were. */
  readonly granted: number;
  /** What the bucket holds afterwards, with fractions. */
  readonly tokens: number;
}

/** The buckets that all processes share. A bucket that was never asked for is full. Time is the store's own. */
export interface BucketStore {
  /** One call for several different buckets; grants come in the order of the asks. */
  take(asks: readonly Ask[]): Promise<Grant[]>;
}
