import { type Database, issueKey, sql } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';

/** A new key of the demo organisation, whose default key is public. */
export const secretDemoKey = (database: Database): Promise<string> =>
  database.transaction(async (transaction) => {
    const [demo] = await transaction.query<{ id: string }>(sql`
      SELECT id FROM organisation WHERE mode = 'test'`);
    const input = { organisationId: demo?.id ?? '', name: 'Secret', scopes: keyScopes };
    return (await issueKey(transaction, 'test', input)).key;
  });
