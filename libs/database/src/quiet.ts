import { sql } from './sql/statement.js';

/** A delivery that waits for the end of quiet hours, which is its `next_attempt_at`. */
export const isQuiet = sql`(state IN ('queued', 'submitting') AND quiet_until > now()
  AND next_attempt_at >= quiet_until AND next_attempt_at < 'infinity')`;
