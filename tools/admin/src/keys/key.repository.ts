import type { Database } from '@gangan/database';
import { isId, type KeyScope } from '@gangan/protocol';
import { CommandError } from '../session/errors.js';

export type StoredKey = Awaited<ReturnType<typeof findKeys>>[number];

export async function findKeys(
  database: Database,
  where: { readonly organisationId: string } | { readonly id: string } | { readonly prefix: string },
) {
  const keys = await database.apiKey.findMany({
    where,
    omit: { hash: true },
    include: { organisation: { include: { account: true } } },
    orderBy: { id: 'asc' },
  });
  const now = new Date();
  const hasPassed = (at: Date | null): boolean => at !== null && at <= now;
  return keys.map(({ organisation, ...key }) => ({
    ...key,
    scopes: key.scopes as KeyScope[],
    organisation: `${organisation.account.name}/${organisation.mode}`,
    state: hasPassed(key.revokedAt) ? 'revoked' : hasPassed(key.expiresAt) ? 'expired' : 'active',
  }));
}

/** @param given the id of the key, or the prefix that is shown */
export async function findKey(database: Database, given: string): Promise<StoredKey> {
  const found = await findKeys(database, isId(given) ? { id: given } : { prefix: given });
  const [key] = found;
  if (key && found.length === 1) return key;
  throw new CommandError(
    key
      ? `Several keys start with ${given}: use an id, one of ${found.map(({ id }) => id).join(', ')}.`
      : 'There is no such key: give its id or its first 16 characters, as `pnpm admin keys list <organisation>` shows them.',
  );
}
