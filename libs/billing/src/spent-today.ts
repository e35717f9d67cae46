import { Prisma, SpendCategory, sql, statement, t } from '@gangan/database';
import type { Ledger } from './ledger/move-money.js';

/** What an organisation has spent today (UTC), in kobo, less what was refunded of it. */
export type SpentToday = Readonly<Record<SpendCategory, bigint>>;

const categories = Object.values(SpendCategory);

const perCategory = <T>(value: T): Record<SpendCategory, T> =>
  Object.fromEntries(categories.map((category) => [category, value])) as Record<SpendCategory, T>;

/** A wallet has a column per category. */
const counters = Prisma.raw(categories.map((category) => `${category}_spent_kobo AS ${category}`).join(', '));

/** A clock that steps back does not begin a day again, as in `move_money`. */
const readSpent = statement(
  perCategory(t.bigint),
  (organisationId: string) => sql`
    SELECT ${counters} FROM ledger_account
    WHERE organisation_id = ${organisationId} AND kind = 'wallet'
      AND spent_on >= (clock_timestamp() AT TIME ZONE 'UTC')::date`,
);

export async function spentToday(ledger: Ledger, organisationId: string): Promise<SpentToday> {
  const [spent] = await ledger.run(readSpent, organisationId);
  return spent ?? perCategory(0n);
}
