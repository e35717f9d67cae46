import { type Database, type Sql, sql } from '@gangan/database';
import { readValue } from '../environment/bench-environment.js';

/** Whether any delivery of a message is not final. Each part is served by a partial index. */
export const hasOpenDeliveries = (database: Database): Promise<boolean> =>
  readValue(
    database,
    sql`
      SELECT EXISTS (SELECT FROM delivery WHERE lane = 'sms' AND state IN ('queued', 'submitting'))
        OR EXISTS (SELECT FROM delivery WHERE lane = 'sms' AND state = 'sent') AS value`,
  );

/** Ends all deliveries that are not locked. */
export const expireDeliveries = (database: Database): Promise<void> =>
  expire(database, sql`state IN ('queued', 'submitting', 'sent')`);

/** Ends the deliveries of the direct server, which never delivers: they are due in a day. */
export const expireUndelivered = (database: Database): Promise<void> =>
  expire(database, sql`state = 'queued' AND next_attempt_at > now() + interval '12 hours'`);

async function expire(database: Database, which: Sql): Promise<void> {
  for (let some = 1; some > 0;) {
    some = await database.execute(sql`
      UPDATE delivery SET state = 'expired', next_attempt_at = NULL WHERE id = ANY (ARRAY(
        SELECT id FROM delivery WHERE lane = 'sms' AND ${which} LIMIT 5000 FOR UPDATE SKIP LOCKED))`);
  }
}
