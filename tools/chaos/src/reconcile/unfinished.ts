import { type Database, deliveryAttempts, sql } from '@gangan/database';

/** What is not final yet, by kind. */
export type Unfinished = Readonly<Record<string, number>>;

export interface Progress {
  readonly unfinished: Unfinished;
  /** Changes when anything is sent, booked or reported. */
  readonly rows: string;
}

/** A verified OTP counts as accepted, and if it never was, it is never reported. */
const verifiedOtp = 2;

export async function readProgress(database: Database): Promise<Progress> {
  const kinds = await database.query<{ kind: string; count: number }>(sql`
    SELECT 'deliveries' AS kind, count(*)::int FROM delivery
    WHERE state IN ('queued', 'submitting', 'sent') AND NOT (state = 'sent' AND EXISTS (
      SELECT FROM otp WHERE otp.id = delivery.otp_id AND otp.status = ${verifiedOtp}))
    UNION ALL SELECT 'expansions', count(*)::int FROM message_expansion WHERE state = 'expanding'
    UNION ALL SELECT 'purchases', count(*)::int FROM airtime_purchase WHERE state IN ('pending', 'submitting', 'sent')
    UNION ALL SELECT 'callbacks', count(*)::int FROM callback WHERE state = 'pending'
    UNION ALL SELECT 'lookups', count(*)::int FROM lookup_reservation`);
  const [counts] = await database.query<{ rows: string }>(sql`
    SELECT concat_ws(' ', (SELECT count(*) FROM simulated_message), (SELECT count(*) FROM simulated_top_up),
      (SELECT count(*) FROM ${deliveryAttempts} AS made), (SELECT count(*) FROM callback_attempt),
      (SELECT count(*) FROM ledger_movement), (SELECT count(*) FROM otp_verification)) AS rows`);
  const unfinished = Object.fromEntries(
    kinds.filter(({ count }) => count > 0).map(({ kind, count }) => [kind, count]),
  );
  return { unfinished, rows: counts?.rows ?? '' };
}

/** Callbacks that would wait for longer than a run, because two attempts failed. One that waits for another reason is an error. */
export const findSlowCallbacks = (database: Database): Promise<{ id: string; organisationId: string }[]> =>
  database.query(sql`
    SELECT id, organisation_id AS "organisationId" FROM callback
    WHERE state = 'pending' AND attempt >= 2 AND leased_until IS NULL AND next_attempt_at > now() + interval '15 seconds'`);
