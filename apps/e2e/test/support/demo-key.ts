import { type Database, issueKey } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';

/** A new key of the demo organisation, whose default key is public. */
export async function secretDemoKey(database: Database): Promise<string> {
  const demo = await database.organisation.findFirstOrThrow({ where: { mode: 'test' } });
  const input = { organisationId: demo.id, name: 'Secret', scopes: keyScopes };
  return (await issueKey(database, 'test', input)).key;
}
