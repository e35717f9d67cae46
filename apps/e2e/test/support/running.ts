import type { Database } from '@gangan/database';
import type { ReachableSystem, TestRedis, TestSystem } from '@gangan/testing';

/** The system under test. Many tests share one, because a start takes longer than most of them. */
export interface RunningSystem {
  readonly system: () => ReachableSystem;
  /** Its database, for tests that inspect tables. */
  readonly database: () => Database;
}

/** A system that the tests may damage and stop. */
export interface OwnSystem extends RunningSystem {
  readonly system: () => TestSystem;
  /** Stops it; its files remain until the end of the tests. */
  readonly stop: () => Promise<void>;
  /** Its Redis, if the queues are not in Postgres. */
  readonly redis: (() => TestRedis) | undefined;
}
