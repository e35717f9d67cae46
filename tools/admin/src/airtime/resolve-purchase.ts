import { type Database, sql, statement } from '@gangan/database';
import { type ChangeResult, changeResult } from '@gangan/management';

const callResolvePurchase = statement(
  changeResult,
  (id: string, outcome: 'success' | 'failed', provider: string | null, actor: string, command: string) => sql`
    SELECT result ->> 'state' AS state, (result ->> 'approval')::uuid AS approval
    FROM resolve_purchase(${id}::uuid, ${outcome}, ${provider}::text, ${actor}, ${command}) AS result`,
);

/**
 * Stores the outcome of a purchase, with an entry in the audit log, or requests the approval. Workers then settle money, state and
 * callback together.
 * @param provider of `airtime reconcile`: the purchase is left as it is if it has another provider
 */
export async function resolvePurchase(
  database: Database,
  id: string,
  outcome: 'success' | 'failed',
  provider: string | null,
  actor: string,
  command: 'airtime resolve' | 'airtime reconcile',
): Promise<ChangeResult | undefined> {
  return (await database.run(callResolvePurchase, id, outcome, provider, actor, command))[0];
}
