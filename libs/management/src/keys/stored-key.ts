import type { Database, Prisma } from '@gangan/database';
import { isId, type KeyScope } from '@gangan/protocol';
import { labelOf, withAccount } from '../organisations/find-organisation.js';
import { Refusal } from '../refusal.js';

/** A key without its secret part. `organisation` is the label of its owner. */
export type StoredKey = Awaited<ReturnType<typeof findKeys>>[number];

/** @param given the id of the key, or the prefix that is shown */
export async function findKey(database: Database, given: string): Promise<StoredKey> {
  const found = await findKeys(database, isId(given) ? { id: given } : { prefix: given });
  const [key] = found;
  if (key && found.length === 1) return key;
  if (key) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new Refusal('conflict', `Several keys start with ${given}: use an id, one of ${ids}.`);
  }
  throw new Refusal('not_found', 'There is no such key: give its id or its first 16 characters', {
    next: 'list_keys',
  });
}

export async function findKeys(database: Database, where: Prisma.ApiKeyWhereInput) {
  const keys = await database.apiKey.findMany({
    where,
    omit: { hash: true },
    include: withAccount,
    orderBy: { id: 'asc' },
  });
  const now = new Date();
  const hasPassed = (at: Date | null): boolean => at !== null && at <= now;
  return keys.map(({ organisation, ...key }) => ({
    ...key,
    scopes: key.scopes as KeyScope[],
    organisation: labelOf(organisation),
    state: hasPassed(key.revokedAt) ? 'revoked' : hasPassed(key.expiresAt) ? 'expired' : 'active',
  }));
}
