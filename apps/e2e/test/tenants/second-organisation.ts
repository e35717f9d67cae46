import { createAccount, type Database, issueKey } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';

/** Another customer, whose key may do everything. */
export const secondOrganisation = (database: Database): Promise<string> =>
  database.transaction(async (transaction) => {
    const { organisations } = await createAccount(transaction, { name: 'Second', sender: 'Second' });
    const organisation = organisations.find(({ mode }) => mode === 'test');
    const wish = { organisationId: organisation?.id ?? '', name: 'All', scopes: keyScopes };
    return (await issueKey(transaction, 'test', wish)).key;
  });
