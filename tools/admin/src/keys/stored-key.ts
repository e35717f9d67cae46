import type { ApiKey, Database, Prisma } from '@gangan/database';
import { isId, type KeyScope, keyScopes } from '@gangan/protocol';
import { CommandError } from '../session/errors.js';
import { labelOf, withAccount } from '../session/find-organisation.js';

export type StoredKey = Awaited<ReturnType<typeof findKeys>>[number];

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

export const describeNetworks = (allowed: readonly string[]): readonly string[] =>
  allowed.length === 0 ? ['any'] : allowed;

export const auditedFields = ({ prefix, scopes, expiresAt, revokedAt, allowedNetworks }: ApiKey) => ({
  prefix,
  scopes,
  expires: expiresAt,
  revoked: revokedAt,
  networks: describeNetworks(allowedNetworks),
});

export const describeKey = ({ prefix, name, organisation }: StoredKey): string =>
  `${prefix}… (${name}) of ${organisation}`;

export const rowOf = (key: StoredKey) => ({
  id: key.id,
  prefix: key.prefix,
  name: key.name,
  state: key.state,
  scopes: key.scopes.length === keyScopes.length ? ['all'] : key.scopes,
  networks: describeNetworks(key.allowedNetworks),
  created: key.createdAt,
  last_used: key.lastUsedAt,
  expires: key.expiresAt,
  revoked: key.revokedAt,
  replaced_by: key.replacedBy,
});
