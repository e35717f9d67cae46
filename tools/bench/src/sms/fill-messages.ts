import { type Database, sql } from '@gangan/database';
import type { Print } from '../bench.js';
import type { Customer } from '../environment/customers.js';

const batchSize = 50_000;

export interface FillOptions {
  readonly count: number;
  /** `queued` is due now. */
  readonly state: 'queued' | 'delivered';
  readonly print?: Print;
}

/** Inserts messages of one recipient without a charge, spread over the organisations. */
export async function fillMessages(
  database: Database,
  customers: readonly Customer[],
  { count, state, print }: FillOptions,
): Promise<void> {
  const organisations = customers.map(({ organisationId }) => organisationId);
  for (let from = 0; from < count; from += batchSize) {
    const to = Math.min(count, from + batchSize);
    await database.execute(sql`
      WITH given AS MATERIALIZED (
        SELECT n, uuidv7() AS id, uuidv7() AS delivery_id,
          (${organisations}::uuid[])[1 + n % ${organisations.length}::int] AS organisation_id
        FROM generate_series(${from}::int, ${to - 1}::int) AS n
      ), stored AS (
        INSERT INTO message (id, organisation_id, channel, sender, recipients, content, encoding, length, pages,
          charge_kobo, balance_kobo, request_id)
        SELECT id, organisation_id, 'sms', 'Bench', ARRAY['0803' || lpad(n::text, 7, '0')], 'Your order has left.',
          'GSM-7', 20, 1, 0, 0, 'bench' FROM given
      )
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages,
        charge_kobo, state, next_attempt_at, provider, provider_reference)
      SELECT delivery_id, organisation_id, 'sms', id, 'sms', '+234803' || lpad(n::text, 7, '0'),
        '0803' || lpad(n::text, 7, '0'), 1, 0, ${state}::delivery_state,
        CASE WHEN ${state}::text = 'queued' THEN now() END,
        CASE WHEN ${state}::text = 'delivered' THEN 'simulator' END,
        CASE WHEN ${state}::text = 'delivered' THEN delivery_id::text END
      FROM given`);
    print?.(`${to.toLocaleString('en')} of ${count.toLocaleString('en')} messages inserted`);
  }
}

/** Does now what autovacuum and the checkpointer would do later. */
export async function settleTables(database: Database): Promise<void> {
  await database.execute(sql`VACUUM (ANALYZE) message, delivery`);
  await database.execute(sql`CHECKPOINT`);
}
