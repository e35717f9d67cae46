import { type Database, sql, unnest } from '@gangan/database';
import { Money } from '../../session/print.js';
import type { AdminSession } from '../../session/session.js';

export interface ProvenOutcome {
  readonly id: string;
  readonly outcome: 'success' | 'failed';
  readonly kobo: bigint;
}

const batchSize = 500;

/**
 * Stores the outcomes that a statement proves. Workers then settle money, state and callback together, as after `airtime resolve`.
 * A purchase that has got an outcome meanwhile, or that a worker is submitting, is left as it is.
 * @returns how many were stored
 */
export async function storeOutcomes(
  session: AdminSession,
  database: Database,
  provider: string,
  outcomes: readonly ProvenOutcome[],
): Promise<number> {
  let stored = 0;
  for (let start = 0; start < outcomes.length; start += batchSize)
    await database.transaction(async (transaction) => {
      const batch = outcomes.slice(start, start + batchSize);
      const changed = await transaction.query<{
        id: string;
        organisationId: string;
        outcome: string;
        kobo: bigint;
        state: string;
      }>(sql`
        UPDATE airtime_purchase AS purchase SET resolution = given.outcome::airtime_state,
          next_attempt_at = CASE WHEN lease_holder IS NULL THEN now() ELSE next_attempt_at END
        FROM ${unnest('given', batch, { uuid: ['id'], text: ['outcome'] })}
        WHERE purchase.id = given.id AND provider = ${provider} AND state IN ('sent', 'error') AND resolution IS NULL
        RETURNING purchase.id, organisation_id AS "organisationId", outcome, amount_kobo AS kobo, state`);
      for (const { id, organisationId, outcome, kobo, state } of changed)
        await session.audit(transaction, {
          organisationId,
          target: `purchase ${id}`,
          before: { state },
          after: { resolution: outcome, naira: new Money(kobo) },
        });
      stored += changed.length;
    });
  return stored;
}
