import { type Database, type Mode, modes, type RowOf, sql, statement, t } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { Refusal } from '../refusal.js';

type Search = Partial<Record<'id' | 'accountId' | 'account' | 'mode', string>>;

const findMatching = statement(
  {
    id: t.uuid,
    accountId: t.uuid,
    account: t.text,
    mode: t.enumOf<Mode>('organisation_mode'),
    label: t.text,
  },
  ({ id, accountId, account, mode }: Search) => sql`
    SELECT o.id, a.id AS "accountId", a.name AS account, o.mode, a.name || '/' || o.mode AS label
    FROM organisation o JOIN account a ON a.id = o.account_id
    WHERE o.id = ${id ?? null}::uuid OR a.id = ${accountId ?? null}::uuid
      OR (lower(a.name) = lower(${account ?? null}::text) AND o.mode::text = coalesce(${mode ?? null}::text, o.mode::text))
    ORDER BY a.id, o.mode`,
);

/** `label` is what operators call it: `Acme/live`. */
export type Organisation = RowOf<typeof findMatching>;

/** Includes in a query what `labelOf` needs. */
export const withAccount = { organisation: { include: { account: true } } } as const;

export const labelOf = ({ account, mode }: { account: { name: string }; mode: Mode }): string =>
  `${account.name}/${mode}`;

/** @param given an id, or the name of the account and the mode; it must match exactly one organisation */
export async function findOrganisation(database: Database, given: string): Promise<Organisation> {
  const found = await findByIdOrLabel(database, given);
  const [only] = found;
  if (only && found.length === 1) return only;
  throw notFound(given, found, 'organisation', 'Acme/live or Acme/test');
}

/** One organisation, or both organisations of an account. */
export async function findOrganisations(
  database: Database,
  given: string,
): Promise<readonly [Organisation, ...Organisation[]]> {
  const ofAccount = isId(given) ? { accountId: given } : { account: given };
  // The name of one account may be the label of another's organisation.
  const found = [
    ...(await findByIdOrLabel(database, given)),
    ...(await database.run(findMatching, ofAccount)),
  ];
  const [first, ...others] = found;
  if (first && others.every(({ accountId }) => accountId === first.accountId)) return [first, ...others];
  throw notFound(given, found, 'account or organisation', 'Acme, Acme/live or Acme/test');
}

/** @throws Refusal for a test organisation, which always uses the simulator */
export function requireLive({ mode, label }: Organisation): void {
  if (mode === 'test')
    throw new Refusal(
      'conflict',
      `${label} always uses the simulator: providers and routes are for live organisations.`,
    );
}

async function findByIdOrLabel(database: Database, given: string): Promise<Organisation[]> {
  if (isId(given)) return database.run(findMatching, { id: given });
  const cut = given.lastIndexOf('/');
  const mode = modes.find((known) => known === given.slice(cut + 1));
  return cut < 0 || !mode ? [] : database.run(findMatching, { account: given.slice(0, cut), mode });
}

function notFound(given: string, found: readonly Organisation[], what: string, forms: string): Refusal {
  if (found.length > 1) {
    const ids = found.map(({ id, label }) => `${id} (${label})`).join(', ');
    return new Refusal('conflict', `Several accounts are called ${given}; use an id: ${ids}`);
  }
  return new Refusal('not_found', `There is no ${what} ${given}: use an id, or a name as in ${forms}`, {
    next: 'list_organisations',
  });
}
