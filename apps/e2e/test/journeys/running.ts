import type { Database } from '@gangan/database';
import type { TestRedis, TestSystem } from '@gangan/testing';

/** A system that runs while the tests do. One carries all journeys: its start costs more than any of them. */
export interface Running {
  readonly system: () => TestSystem;
  /** What it remembers, for those who look behind the interface. */
  readonly database: () => Database;
  /** Ends it; what it wrote remains until the end of the tests. */
  readonly stop: () => Promise<void>;
  /** What carries its queues, where it is not Postgres. */
  readonly redis: (() => TestRedis) | undefined;
}
