import { type Sql, sql } from '@gangan/database';

/**
 * Added to the timeout of the work to get the duration of a lease: the time to start the work after the claim, and to store
 * the result. A new row that an event announces becomes due after the same time, so that the event arrives before a sweeper
 * claims the row.
 */
export const leaseGraceMs = 5_000;

/** The work of a claim starts within this time: another process may count on that after a takeover. */
export const maxStartMs = 3_000;

/** What a claim gives to a process. */
export interface Lease {
  readonly holder: bigint;
  readonly leaseMs: number;
}

/**
 * The current time for comparisons with a due or lease column. The columns keep milliseconds, and `now()` could be rounded
 * up to the next one: a row that is due now would then be due half a millisecond later.
 */
export const dueNow: Sql = sql`date_trunc('milliseconds', now())`;

/** The value of a lease column for a lease that ends in `ms`: sql`next_attempt_at = ${leaseUntil(30_000)}`. */
export const leaseUntil = (ms: number): Sql =>
  sql`(now() + ${ms}::float8 * interval '1 millisecond')::timestamptz(3)`;

/** The value of a due column for a row that becomes due after `delayMs`; without a delay it is due at once. */
export const dueAfter = (delayMs: number): Sql =>
  sql`${dueNow} + ${delayMs}::float8 * interval '1 millisecond'`;
