import { topUp } from '@gangan/billing';
import { createAccount, type Database, issueKey } from '@gangan/database';
import { keyScopes, newId } from '@gangan/protocol';

/** Creates an organisation with this balance in kobo; returns a key with all scopes. */
export async function newOrganisation(database: Database, name: string, money = 0n): Promise<string> {
  const { organisationId, key } = await database.transaction(async (transaction) => {
    const { organisations } = await createAccount(transaction, { name, sender: 'Another' });
    const input = { organisationId: organisations.find(({ mode }) => mode === 'test')?.id ?? '', name };
    return { ...input, ...(await issueKey(transaction, 'test', { ...input, scopes: keyScopes })) };
  });
  await topUp(database, [{ subjectId: newId(), organisationId, kobo: money }]);
  return key;
}
