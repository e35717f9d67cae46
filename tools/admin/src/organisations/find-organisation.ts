import { type Database, type Mode, modes, sql } from '@gangan/database';
import { isId } from '@gangan/protocol';
import { CommandError } from '../session/command-error.js';

export interface Organisation {
  readonly id: string;
  readonly accountId: string;
  readonly account: string;
  readonly mode: Mode;
  /** As people call it: `Acme/live`. */
  readonly label: string;
}

/** @throws CommandError unless exactly one is meant */
export async function findOrganisation(database: Database, given: string): Promise<Organisation> {
  const found = await matching(database, given);
  const [only] = found;
  if (only && found.length === 1) return only;
  throw refused(given, found, 'organisation', 'Acme/live or Acme/test');
}

/** One organisation, or with the name or id of an account both of its. */
export async function findOrganisations(database: Database, given: string): Promise<Organisation[]> {
  // An account may be called as the organisation of another is.
  const found = [...(await matching(database, given)), ...(await ofAccount(database, given))];
  if (new Set(found.map(({ accountId }) => accountId)).size === 1) return found;
  throw refused(given, found, 'account or organisation', 'Acme, Acme/live or Acme/test');
}

function matching(database: Database, given: string): Promise<Organisation[]> {
  if (isId(given)) return select(database, sql`o.id = ${given}`);
  const cut = given.lastIndexOf('/');
  const mode = modes.find((known) => known === given.slice(cut + 1));
  if (cut < 0 || !mode) return Promise.resolve([]);
  return select(database, sql`lower(a.name) = lower(${given.slice(0, cut)}) AND o.mode = ${mode}`);
}

const ofAccount = (database: Database, given: string): Promise<Organisation[]> =>
  select(database, isId(given) ? sql`a.id = ${given}` : sql`lower(a.name) = lower(${given})`);

const select = (database: Database, condition: ReturnType<typeof sql>): Promise<Organisation[]> =>
  database.query<Organisation>(sql`
    SELECT o.id, a.id AS "accountId", a.name AS account, o.mode, a.name || '/' || o.mode AS label
    FROM organisation o JOIN account a ON a.id = o.account_id
    WHERE ${condition} ORDER BY a.id, o.mode`);

function refused(given: string, found: readonly Organisation[], what: string, forms: string): CommandError {
  if (found.length > 1) {
    return new CommandError(
      `Several accounts are called ${given}; use an id: ${found.map(({ id, label }) => `${id} (${label})`).join(', ')}`,
    );
  }
  return new CommandError(
    `There is no ${what} ${given}: use an id, or a name as in ${forms} (see \`pnpm admin organisations list\`).`,
  );
}
