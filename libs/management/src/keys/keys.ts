import {
  allowNetworks,
  type ApiKey,
  expireKey,
  issueKey as createKey,
  lockKey,
  type Models,
  revokeKey as revoke,
  rotateKey as replaceKey,
  type RotateKeyInput,
  setScopes,
} from '@gangan/database';
import { type KeyScope, keyScopes } from '@gangan/protocol';
import type { Access } from '../access.js';
import { change } from '../audit.js';
import type { Organisation } from '../organisations/find-organisation.js';
import { Refusal } from '../refusal.js';
import { findKey, type StoredKey } from './stored-key.js';

export interface NewKey {
  readonly name: string;
  /** A test key has every scope by default; for a live one they must be named. */
  readonly scopes?: readonly KeyScope[] | undefined;
  readonly expiresAt?: Date | undefined;
  /** Addresses and CIDR blocks that may use the key; none: any. */
  readonly networks: readonly string[];
}

/** Creates a key. Only the result has it in readable form. */
export async function issueKey(
  access: Access,
  { id: organisationId, mode, label }: Organisation,
  { name, scopes: named, expiresAt, networks }: NewKey,
) {
  if (!named && mode === 'live')
    throw new Refusal('invalid', `${label} is live: name what the key is for`, {
      next: 'name_scopes',
    });
  const scopes = named ?? keyScopes;
  const scopesNamed = named !== undefined;
  const input = { organisationId, name, scopes, scopesNamed, expiresAt, allowedNetworks: networks };
  const { key, id } = await change(access, 'keys issue', async (models, log) => {
    const issued = await createKey(models, mode, input);
    const allowed = { networks: namedNetworks(networks) };
    const after = { prefix: issued.prefix, name, scopes, ...allowed, expires: expiresAt };
    await log({ organisationId, target: `key ${issued.id}`, after });
    return issued;
  });
  return { key, id, scopes };
}

const whyNotRotated = {
  unknown: ['no longer exists.', {}],
  revoked: ['is revoked', { next: 'issue_key' }],
  expired: ['is expired', { next: 'issue_key' }],
  replaced: ['was already rotated', { next: 'rotate_successor' }],
} as const;

/** Creates a successor with the same name, scopes and networks. Only the result has it in readable form. */
export async function rotateKey(access: Access, key: StoredKey, input: RotateKeyInput) {
  const rotated = await change(access, 'keys rotate', async (models, log) => {
    const before = await lockKey(models, key.id);
    const result = await replaceKey(models, key.id, input);
    if (!result.ok) return result;
    const { issued, expiresAt, oldWorksUntil } = result;
    const successor = { replaced_by: issued.id, new_prefix: issued.prefix, new_expires: expiresAt };
    await log({
      ...targetOf(key),
      before: { prefix: key.prefix, expires: before?.expiresAt },
      after: { expires: oldWorksUntil, ...successor },
    });
    return result;
  });
  if (rotated.ok) return rotated;
  const [reason, options] = whyNotRotated[rotated.because];
  throw new Refusal('conflict', `The key ${key.prefix} ${reason}`, options);
}

export const revokeKey = (access: Access, key: StoredKey) =>
  changeKey(access, 'keys revoke', key, (models) => revoke(models, key.id));

/** Changes from where a key may be used; an empty list: from everywhere. */
export const setKeyNetworks = (access: Access, key: StoredKey, networks: readonly string[]) =>
  changeKey(access, 'keys networks', key, (models) => allowNetworks(models, key.id, networks));

export const setKeyScopes = (access: Access, key: StoredKey, scopes: readonly KeyScope[]) =>
  changeKey(access, 'keys scopes', key, (models) => setScopes(models, key.id, scopes));

/** Changes when a key expires; undefined: never. */
export async function setKeyExpiry(access: Access, key: StoredKey, at: Date | undefined) {
  if (key.state === 'revoked')
    throw new Refusal('conflict', `The key ${key.prefix} is revoked: issue a new one.`);
  return changeKey(access, 'keys expire', key, (models) => expireKey(models, key.id, at));
}

async function changeKey(
  access: Access,
  action: string,
  key: StoredKey,
  write: (models: Models) => Promise<void>,
): Promise<StoredKey> {
  await change(access, action, async (models, log) => {
    const before = await lockKey(models, key.id);
    await write(models);
    const after = await models.apiKey.findUniqueOrThrow({ where: { id: key.id } });
    await log({
      ...targetOf(key),
      before: before ? auditedFields(before) : undefined,
      after: auditedFields(after),
    });
  });
  return findKey(access.database, key.id);
}

const targetOf = ({ id, organisationId }: StoredKey) => ({ organisationId, target: `key ${id}` });

const namedNetworks = (networks: readonly string[]): readonly string[] =>
  networks.length === 0 ? ['any'] : networks;

const auditedFields = ({ prefix, scopes, expiresAt, revokedAt, allowedNetworks }: ApiKey) => ({
  prefix,
  scopes,
  expires: expiresAt,
  revoked: revokedAt,
  networks: namedNetworks(allowedNetworks),
});
