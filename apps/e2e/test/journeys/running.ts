import type { Database } from '@gangan/database';
import type { TestRedis, TestSystem } from '@gangan/testing';

/** The system under test. All journeys share one, because a start takes longer than any of them. */
export interface Running {
  readonly system: () => TestSystem;
  /** Its database, for tests that inspect tables. */
  readonly database: () => Database;
  /** Stops it; its files remain until the end of the tests. */
  readonly stop: () => Promise<void>;
  /** Its Redis, if the queues are not in Postgres. */
  readonly redis: (() => TestRedis) | undefined;
}
