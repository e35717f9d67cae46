import { sql } from './sql/statement.js';

/** Whether a delivery waits for the end of quiet hours: it is due at that time, or within a minute after it. */
export const isQuiet = sql`(state IN ('queued', 'submitting') AND quiet_until > now()
  AND next_attempt_at BETWEEN quiet_until AND quiet_until + interval '1 minute')`;
