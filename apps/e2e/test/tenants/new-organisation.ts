import { topUp } from '@gangan/billing';
import { createAccount, type Database, issueKey } from '@gangan/database';
import { keyScopes, newId } from '@gangan/protocol';

/** Creates an organisation with this balance in kobo; returns a key with all scopes. */
export async function newOrganisation(database: Database, name: string, money = 0n): Promise<string> {
  const { organisations } = await createAccount(database, { name, sender: 'Another' });
  const organisationId = organisations.find(({ mode }) => mode === 'test')?.id ?? '';
  const { key } = await issueKey(database, 'test', { organisationId, name, scopes: keyScopes });
  await topUp(database, [{ subjectId: newId(), organisationId, kobo: money }]);
  return key;
}
