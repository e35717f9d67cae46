import { topUp } from '@gangan/billing';
import { createAccount, type Database, issueKey } from '@gangan/database';
import { keyScopes, newId } from '@gangan/protocol';

/** Another customer, whose key may do everything that their money, in kobo, is enough for. */
export async function newOrganisation(database: Database, name: string, money = 0n): Promise<string> {
  const { organisationId, key } = await database.transaction(async (transaction) => {
    const { organisations } = await createAccount(transaction, { name, sender: 'Another' });
    const wish = { organisationId: organisations.find(({ mode }) => mode === 'test')?.id ?? '', name };
    return { ...wish, ...(await issueKey(transaction, 'test', { ...wish, scopes: keyScopes })) };
  });
  await topUp(database, [{ subjectId: newId(), organisationId, kobo: money }]);
  return key;
}
