import { type Database, sql, statement, t } from '@gangan/database';

/** What the apps will do when they start. It may have been done before, after the backup was made. */
const countWaiting = statement(
  { messages: t.int, airtime: t.int, callbacks: t.int },
  () => sql`
    SELECT (SELECT count(*)::int FROM delivery WHERE state IN ('queued', 'submitting')) AS messages,
      (SELECT count(*)::int FROM airtime_purchase WHERE state IN ('pending', 'submitting')) AS airtime,
      (SELECT count(*)::int FROM callback WHERE state = 'pending') AS callbacks`,
);

export async function waitingWork(database: Database) {
  const [waiting] = await database.run(countWaiting);
  return {
    waiting_deliveries: waiting?.messages,
    waiting_airtime: waiting?.airtime,
    waiting_callbacks: waiting?.callbacks,
  };
}
