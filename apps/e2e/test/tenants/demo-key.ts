import { type Database, issueKey, sql } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';

/** A key of the demo organisation that nobody knows, unlike its usual one. */
export const secretDemoKey = (database: Database): Promise<string> =>
  database.transaction(async (transaction) => {
    const [demo] = await transaction.query<{ id: string }>(sql`
      SELECT id FROM organisation WHERE mode = 'test'`);
    const wish = { organisationId: demo?.id ?? '', name: 'Secret', scopes: keyScopes };
    return (await issueKey(transaction, 'test', wish)).key;
  });
