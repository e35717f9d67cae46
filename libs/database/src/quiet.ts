import { sql } from './sql/statement.js';

/** A delivery that waits for the end of quiet hours: its `next_attempt_at` is then, or within a minute after. */
export const isQuiet = sql`(state IN ('queued', 'submitting') AND quiet_until > now()
  AND next_attempt_at BETWEEN quiet_until AND quiet_until + interval '1 minute')`;
