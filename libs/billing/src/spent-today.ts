import { sql, type SpendCategory, statement, t } from '@gangan/database';
import type { Ledger } from './ledger/move-money.js';

/** What an organisation has spent today (UTC), in kobo, less what was refunded of it. */
export type SpentToday = Readonly<Record<SpendCategory, bigint>>;

/** As in `moveStatement`: a clock that steps back does not begin a day again. */
const readSpent = statement(
  { message: t.bigint, otp: t.bigint, airtime: t.bigint, lookup: t.bigint },
  (organisationId: string) => sql`
    SELECT message_spent_kobo AS message, otp_spent_kobo AS otp, airtime_spent_kobo AS airtime,
      lookup_spent_kobo AS lookup
    FROM ledger_account
    WHERE organisation_id = ${organisationId} AND kind = 'wallet'
      AND spent_on >= (clock_timestamp() AT TIME ZONE 'UTC')::date`,
);

export async function spentToday(ledger: Ledger, organisationId: string): Promise<SpentToday> {
  const [spent] = await ledger.run(readSpent, organisationId);
  return spent ?? { message: 0n, otp: 0n, airtime: 0n, lookup: 0n };
}
