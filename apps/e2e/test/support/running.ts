import type { Database } from '@gangan/database';
import type { TestRedis, TestSystem } from '@gangan/testing';

/** The system under test. Many tests share one, because a start takes longer than most of them. */
export interface RunningSystem {
  readonly system: () => TestSystem;
  /** Its database, for tests that inspect tables. */
  readonly database: () => Database;
}

/** The system of the journeys. */
export interface Running extends RunningSystem {
  /** Stops it; its files remain until the end of the tests. */
  readonly stop: () => Promise<void>;
  /** Its Redis, if the queues are not in Postgres. */
  readonly redis: (() => TestRedis) | undefined;
}
