import { sql, type SqlRunner, statement, t } from '@gangan/database';
import type { Credit } from './credit-settings.js';

const intervalSeconds = 60;

/** Claims the providers whose credit was not asked for a minute, so that one worker asks each of them. */
const claimDue = statement(
  { provider: t.text },
  (providers: readonly string[]) => sql`
    INSERT INTO provider_health AS known (provider_id, credit_asked_at)
    SELECT id, now() FROM provider WHERE name = ANY (${providers}::text[]) ORDER BY id
    ON CONFLICT (provider_id) DO UPDATE SET credit_asked_at = now()
    WHERE known.credit_asked_at IS NULL
      OR known.credit_asked_at <= now() - ${intervalSeconds}::int * interval '1 second'
    RETURNING (SELECT name FROM provider WHERE id = known.provider_id) AS provider`,
);

/** Returns the credit before, if it had the same currency. */
const store = statement(
  { before: t.nullable(t.bigint) },
  (provider: string, { micros, currency }: Credit) => sql`
    UPDATE provider_health known SET credit_micros = ${micros}, credit_currency = ${currency}, credit_at = now()
    FROM provider WHERE provider.id = known.provider_id AND provider.name = ${provider}
    RETURNING CASE WHEN old.credit_currency = known.credit_currency THEN old.credit_micros END AS before`,
);

export const storedCredit = {
  async claimDue(database: SqlRunner, providers: readonly string[]): Promise<string[]> {
    if (providers.length === 0) return [];
    return (await database.run(claimDue, providers)).map(({ provider }) => provider);
  },
  async store(database: SqlRunner, provider: string, credit: Credit): Promise<bigint | undefined> {
    const [row] = await database.run(store, provider, credit);
    return row?.before ?? undefined;
  },
};
