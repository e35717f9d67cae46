import { type Database, type Prisma, sql, statement } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { type Access, callFunction, changeColumns, changeResult } from '../access.js';
import { labelOf, withAccount } from '../organisations/find-organisation.js';
import { Refusal } from '../refusal.js';

/** What a provider says about a purchase. */
export type PurchaseOutcome = 'success' | 'failed';

/** The purchases that wait for an operator. */
export const listUnresolved = (database: Database) =>
  findPurchases(database, { state: 'error', resolution: null });

/** @throws Refusal if there is none with this id */
export async function findPurchase(database: Database, id: string) {
  const [found] = isId(id) ? await findPurchases(database, { id }) : [];
  if (found) return found;
  throw new Refusal('not_found', `There is no purchase ${id}`, { next: 'list_unresolved' });
}

async function findPurchases(database: Database, where: Prisma.AirtimePurchaseWhereInput) {
  const purchases = await database.airtimePurchase.findMany({
    where,
    include: withAccount,
    orderBy: { id: 'asc' },
  });
  return purchases.map(({ organisation, ...purchase }) => ({
    ...purchase,
    label: labelOf(organisation),
    wasRefunded: purchase.state === 'failed' || purchase.state === 'duplicate',
  }));
}

const callResolvePurchase = statement(
  changeResult,
  (id: string, outcome: PurchaseOutcome, provider: string | null, actor: string, command: string) => sql`
    SELECT ${changeColumns}
    FROM resolve_purchase(${id}::uuid, ${outcome}, ${provider}::text, ${actor}, ${command}) AS result`,
);

/**
 * Stores the outcome of a purchase, with an entry in the audit log, or requests the approval. Workers then settle money, state
 * and callback together. A refunded purchase that turns out to be delivered is booked as our loss.
 */
export const resolvePurchase = ({ database, principal }: Access, id: string, outcome: PurchaseOutcome) =>
  callFunction(database, callResolvePurchase, id, outcome, null, principal.name, 'airtime resolve');

export interface ProvenOutcome {
  readonly id: string;
  readonly outcome: PurchaseOutcome;
  readonly kobo: bigint;
}

/**
 * Stores the outcomes that the statement of a provider proves, one after the other. A purchase that has got an outcome meanwhile,
 * that a worker is submitting, or that has another provider, is left as it is.
 */
export async function storeOutcomes(
  { database, principal }: Access,
  provider: string,
  outcomes: readonly ProvenOutcome[],
) {
  const counts = { stored: 0, pending: 0 };
  for (const { id, outcome } of outcomes) {
    const given = [id, outcome, provider, principal.name, 'airtime reconcile'] as const;
    const { state } = await callFunction(database, callResolvePurchase, ...given);
    if (state === 'done') counts.stored += 1;
    if (state === 'pending') counts.pending += 1;
  }
  return counts;
}
