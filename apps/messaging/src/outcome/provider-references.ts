import { type RowOf, sql, statement, type Statements, t, unnest } from '@gangan/database';
import { simulatorName } from '../providers/message-provider.js';
import type { Transition } from './apply-transitions.js';

/** What a provider calls one part of a message that it accepted. */
interface StoredReference {
  readonly provider: string;
  readonly reference: string;
  readonly deliveryId: string;
  readonly attempt: number;
  readonly part: number;
}

/** A reference stays with the first delivery that has it, and moves to the latest attempt that returns it. */
const insertReferences = statement(
  { reference: t.text },
  (references: readonly StoredReference[]) => sql`
    INSERT INTO provider_reference (provider, reference, delivery_id, attempt, part)
    SELECT given.provider, given.reference, given.delivery_id, given.attempt, given.part
    FROM ${unnest('given', references, {
      text: ['provider', 'reference'],
      uuid: ['deliveryId'],
      int: ['attempt', 'part'],
    })} CROSS JOIN LATERAL (SELECT FROM delivery WHERE id = given.delivery_id LIMIT 1) existing
    ORDER BY given.provider, given.reference
    ON CONFLICT (provider, reference) DO UPDATE SET attempt = excluded.attempt, part = excluded.part
    WHERE provider_reference.delivery_id = excluded.delivery_id AND provider_reference.attempt < excluded.attempt
    RETURNING reference`,
);

/** The references that belong to another delivery. */
const findConflicts = statement(
  { provider: t.text, reference: t.text, deliveryId: t.uuid },
  (references: readonly StoredReference[]) => sql`
    SELECT given.provider, given.reference, given.delivery_id AS "deliveryId"
    FROM ${unnest('given', references, { text: ['provider', 'reference'], uuid: ['deliveryId'] })}
    CROSS JOIN LATERAL (
      SELECT FROM provider_reference WHERE provider = given.provider AND reference = given.reference
        AND delivery_id <> given.delivery_id LIMIT 1) other`,
);

/** A reference that the provider has already returned for another message. */
export type ReferenceConflict = RowOf<typeof findConflicts>;

/**
 * Stores the references of accepted attempts, including late answers that no longer change their delivery: a report can
 * still say that such an attempt was delivered. The simulator's references are stored in the delivery only.
 * @returns the references that belong to other deliveries
 */
export async function storeReferences(
  transaction: Statements,
  transitions: readonly Transition[],
): Promise<readonly ReferenceConflict[]> {
  const references = transitions.flatMap(referencesOf);
  const unique = new Map(references.map((each) => [`${each.provider} ${each.reference}`, each]));
  if (unique.size === 0) return [];
  const stored = await transaction.run(insertReferences, [...unique.values()]);
  return stored.length === references.length ? [] : transaction.run(findConflicts, references);
}

function referencesOf({ delivery: { id, attempt }, change }: Transition): StoredReference[] {
  const { provider = simulatorName, names = [] } = change.references ?? {};
  if (provider === simulatorName) return [];
  return names.map((reference, index) => ({ provider, reference, deliveryId: id, attempt, part: index + 1 }));
}
