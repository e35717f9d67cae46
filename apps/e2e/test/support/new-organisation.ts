import { type Database, issueKey } from '@gangan/database';
import { keyScopes } from '@gangan/protocol';
import { anOrganisation } from '@gangan/testing';

/** Creates an organisation with this balance in kobo; returns a key with all scopes. */
export async function newOrganisation(database: Database, name: string, money = 0n): Promise<string> {
  const { id: organisationId } = await anOrganisation(database, { balanceKobo: money });
  const { key } = await issueKey(database, 'test', { organisationId, name, scopes: keyScopes });
  return key;
}
