import { sql } from './sql/statement.js';

/** A delivery that waits for the end of quiet hours, which is its `next_attempt_at`, give or take the time of a call. */
export const isQuiet = sql`(state IN ('queued', 'submitting') AND quiet_until > now()
  AND next_attempt_at BETWEEN quiet_until AND quiet_until + interval '1 minute')`;
