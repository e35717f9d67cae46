import { Prisma, sql, type SpendCategory, statement, t } from '@gangan/database';
import type { Ledger } from './ledger/move-money.js';
import { eachCounter, perCategory } from './ledger/spend-counters.js';

/** What an organisation has spent today (UTC), in kobo, less what was refunded of it. */
export type SpentToday = Readonly<Record<SpendCategory, bigint>>;

/** As in `moveStatement`: a clock that steps back does not begin a day again. */
const readSpent = statement(
  perCategory(() => t.bigint),
  (organisationId: string) => sql`
    SELECT ${eachCounter((column, category) => sql`${column} AS ${Prisma.raw(category)}`)} FROM ledger_account
    WHERE organisation_id = ${organisationId} AND kind = 'wallet'
      AND spent_on >= (clock_timestamp() AT TIME ZONE 'UTC')::date`,
);

export async function spentToday(ledger: Ledger, organisationId: string): Promise<SpentToday> {
  const [spent] = await ledger.run(readSpent, organisationId);
  return spent ?? perCategory(() => 0n);
}
