import { topUp } from '@gangan/billing';
import { createAccount, type Database, issueKey } from '@gangan/database';
import { keyScopes, newId } from '@gangan/protocol';

const plenty = 100_000_000_000n;

/** Another customer, who can pay for anything, and whose key may do everything. */
export async function newOrganisation(database: Database, name: string): Promise<string> {
  const { organisationId, key } = await database.transaction(async (transaction) => {
    const { organisations } = await createAccount(transaction, { name, sender: 'Another' });
    const wish = { organisationId: organisations.find(({ mode }) => mode === 'test')?.id ?? '', name };
    return { ...wish, ...(await issueKey(transaction, 'test', { ...wish, scopes: keyScopes })) };
  });
  await topUp(database, [{ subjectId: newId(), organisationId, kobo: plenty }]);
  return key;
}
