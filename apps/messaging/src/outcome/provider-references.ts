import { type RowOf, sql, statement, type Statements, t, unnest } from '@gangan/database';
import { simulatorName } from '../providers/message-provider.js';
import type { Transition } from './transition.js';

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

/** Whether the reference of a delivery belongs to another one: an expression of a query on `changed`. */
export const hasConflict = sql`coalesce(
  (SELECT true FROM delivery AS other WHERE other.provider = changed.provider AND other.id <> changed.id
    AND other.provider_reference = changed.provider_reference AND other.provider_reference IS NOT NULL LIMIT 1),
  (SELECT true FROM provider_reference AS other WHERE other.provider = changed.provider
    AND other.reference = changed.provider_reference AND other.delivery_id <> changed.id LIMIT 1),
  false)`;

interface Changed {
  readonly id: string;
  /** Its only attempt, and the first reference, are stored in the delivery. */
  readonly isFirstSuccess: boolean;
  readonly hasConflict: boolean;
}

/**
 * Stores the references of accepted attempts, including late answers that no longer change their delivery: a report can
 * still say that such an attempt was delivered. The only reference of a first attempt is in its delivery, as are those of
 * the simulator.
 * @returns the references that belong to other deliveries
 */
export async function storeReferences(
  transaction: Statements,
  transitions: readonly Transition[],
  changed: readonly Changed[],
): Promise<readonly ReferenceConflict[]> {
  const described = new Map(changed.flatMap((row) => (row.isFirstSuccess ? [[row.id, row] as const] : [])));
  const groups = transitions.map(referencesOf);
  const isStored = ([first, second]: readonly StoredReference[]): boolean =>
    first !== undefined && second === undefined && described.has(first.deliveryId);
  const own = groups.filter(isStored).flat();
  const references = groups.filter((group) => !isStored(group)).flat();
  const known = new Set<string>();
  const conflicts = own.filter((each) => {
    const isRepeated = known.size === known.add(keyOf(each)).size;
    return isRepeated || described.get(each.deliveryId)?.hasConflict === true;
  });
  const unique = new Map(references.map((each) => [keyOf(each), each]));
  if (unique.size === 0) return conflicts;
  const stored = await transaction.run(insertReferences, [...unique.values()]);
  if (stored.length === references.length) return conflicts;
  return [...conflicts, ...(await transaction.run(findConflicts, references))];
}

const keyOf = ({ provider, reference }: StoredReference): string => `${provider} ${reference}`;

function referencesOf({ delivery: { id, attempt }, change }: Transition): StoredReference[] {
  const { provider = simulatorName, names = [] } = change.references ?? {};
  if (provider === simulatorName) return [];
  return names.map((reference, index) => ({ provider, reference, deliveryId: id, attempt, part: index + 1 }));
}
