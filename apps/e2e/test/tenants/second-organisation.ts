import { createAccount, Database, issueKey } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';

/** Another customer, whose key may do everything. */
export async function secondOrganisation(databaseUrl: string): Promise<string> {
  const database = new Database({ url: databaseUrl, poolSize: 1 });
  try {
    return await database.transaction(async (transaction) => {
      const { organisations } = await createAccount(transaction, { name: 'Second', sender: 'Second' });
      const organisation = organisations.find(({ mode }) => mode === 'test');
      const wish = { organisationId: organisation?.id ?? '', name: 'All', scopes: keyScopes };
      return (await issueKey(transaction, 'test', wish)).key;
    });
  } finally {
    await database.close();
  }
}
