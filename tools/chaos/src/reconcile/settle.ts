import { type Database, sql } from '@gangan/database';
import { setTimeout as pause } from 'node:timers/promises';

/** What is not final yet, by kind. */
export type Unfinished = Readonly<Record<string, number>>;

const pollMs = 500;
const reportMs = 5_000;

/** A verified OTP counts as accepted, and if it never was, it is never reported. */
const verifiedOtp = 2;

/** How much is not final. */
export async function countUnfinished(database: Database): Promise<Unfinished> {
  const rows = await database.query<{ kind: string; count: number }>(sql`
    SELECT 'deliveries' AS kind, count(*)::int FROM delivery
    WHERE state IN ('queued', 'submitting', 'sent') AND NOT (state = 'sent' AND EXISTS (
      SELECT FROM otp WHERE otp.id = delivery.otp_id AND otp.status = ${verifiedOtp}))
    UNION ALL SELECT 'expansions', count(*)::int FROM message_expansion WHERE state = 'expanding'
    UNION ALL SELECT 'purchases', count(*)::int FROM airtime_purchase WHERE state IN ('pending', 'submitting', 'sent')
    UNION ALL SELECT 'callbacks', count(*)::int FROM callback WHERE state = 'pending'
    UNION ALL SELECT 'lookups', count(*)::int FROM lookup_reservation`);
  return Object.fromEntries(rows.filter(({ count }) => count > 0).map(({ kind, count }) => [kind, count]));
}

/** Callbacks that wait for longer than a run: their receiver was unlucky twice. */
export const findSlowCallbacks = (database: Database): Promise<{ id: string; organisationId: string }[]> =>
  database.query(sql`
    SELECT id, organisation_id AS "organisationId" FROM callback
    WHERE state = 'pending' AND leased_until IS NULL AND next_attempt_at > now() + interval '15 seconds'`);

export interface SettleOptions {
  readonly limitMs: number;
  readonly signal: AbortSignal;
  /** Asks for callbacks that wait for long to be sent at once, as a client can. */
  readonly resend: (callbacks: readonly { id: string; organisationId: string }[]) => Promise<void>;
  readonly onProgress: (unfinished: Unfinished) => void;
}

/** Waits until everything is final. Returns what is not, after the time limit. */
export async function settle(database: Database, options: SettleOptions): Promise<Unfinished> {
  const deadline = performance.now() + options.limitMs;
  let reportAt = performance.now() + reportMs;
  for (;;) {
    const unfinished = await countUnfinished(database);
    if (Object.keys(unfinished).length === 0 || performance.now() > deadline) return unfinished;
    if (performance.now() > reportAt) {
      options.onProgress(unfinished);
      reportAt += reportMs;
    }
    await options.resend(await findSlowCallbacks(database));
    await pause(pollMs, undefined, { signal: options.signal });
  }
}
