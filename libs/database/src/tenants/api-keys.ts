import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type KeyScope, newId } from '@gangan/protocol';
import type { ApiKey } from '../generated/client.js';
import type { Mode, Models } from './accounts.js';

export interface IssueKeyInput {
  readonly organisationId: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** Whether the scopes were named, rather than all given by default. */
  readonly scopesNamed?: boolean;
  readonly expiresAt?: Date | undefined;
  /** CIDR blocks from which the key may be used; every address if there are none. */
  readonly allowedNetworks?: readonly string[];
}

/** What is stored of a key: its hash, and the prefix by which people recognise it in lists. */
export const describeKey = (key: string) => ({
  key,
  prefix: key.slice(0, 16),
  hash: createHash('sha256').update(key).digest(),
});

/** The key of the demo organisation is public, because it is in the docs. */
export const demoApiKey = 'sk_test_demo';

export const newApiKey = (mode: Mode) => {
  const random = `sk_${mode}_${randomBytes(32).toString('base64url')}`;
  return describeKey(random + checksumOf(random));
};

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0');

/** A key has 256 random bits and a checksum. Keys of version 0.1 have no checksum, and other lengths. */
const withChecksum = /^(sk_(?:live|test)_[\w-]{43})([\da-f]{8})$/;

/** Whether the text cannot be a key that was ever issued. Most invented keys are recognised without a database read. */
export function isInventedKey(text: string): boolean {
  const [, random, checksum] = withChecksum.exec(text) ?? [];
  return random !== undefined && checksum !== checksumOf(random);
}

/** Creates a key. Only the returned value contains it in readable form. */
export async function issueKey(
  models: Models,
  mode: Mode,
  { organisationId, name, scopes, scopesNamed = false, expiresAt, allowedNetworks = [] }: IssueKeyInput,
) {
  const issued = { id: newId(), ...newApiKey(mode) };
  const { id, prefix, hash } = issued;
  const lists = { scopes: [...scopes], allowedNetworks: [...allowedNetworks] };
  const fields = { organisationId, name, scopesNamed, ...lists, expiresAt: expiresAt ?? null };
  await models.apiKey.create({ data: { id, prefix, hash, ...fields } });
  return issued;
}

/** Revokes a key from now on; one that was revoked before keeps its date. */
export async function revokeKey(models: Models, id: string): Promise<void> {
  const now = new Date();
  const notRevoked = [{ revokedAt: null }, { revokedAt: { gt: now } }];
  await models.apiKey.updateMany({ where: { id, OR: notRevoked }, data: { revokedAt: now } });
}

/** Changes when the key expires; without a moment it never does. */
export async function expireKey(models: Models, id: string, at: Date | undefined): Promise<void> {
  await models.apiKey.updateMany({ where: { id }, data: { expiresAt: at ?? null } });
}

export async function setScopes(models: Models, id: string, scopes: readonly KeyScope[]): Promise<void> {
  await models.apiKey.updateMany({ where: { id }, data: { scopes: [...scopes], scopesNamed: true } });
}

/** Changes from which networks the key may be used; without networks from every address. */
export async function allowNetworks(models: Models, id: string, networks: readonly string[]): Promise<void> {
  await models.apiKey.updateMany({ where: { id }, data: { allowedNetworks: [...networks] } });
}

export interface RotateKeyInput {
  /** How long the old key still works. A rotation never extends it. */
  readonly overlapMs: number;
  /** When the successor expires. By default it lives as long as the old key was meant to. */
  readonly expiresAt?: Date | undefined;
}

/**
 * Creates a successor with the same name, scopes and networks; the old key works on for the overlap. A key has one successor: in
 * its overlap, `expiresAt` no longer shows how long the key was meant to live.
 */
export async function rotateKey(transaction: Models, id: string, input: RotateKeyInput) {
  const old = await lockKey(transaction, id);
  const now = new Date();
  const refusal = refusalOf(old, now);
  if (!old || refusal) return { ok: false, because: refusal ?? 'unknown' } as const;
  const expiresAt = input.expiresAt ?? sameLifetime(old, now);
  const overlapEnds = new Date(now.getTime() + input.overlapMs);
  const oldWorksUntil = old.expiresAt && old.expiresAt < overlapEnds ? old.expiresAt : overlapEnds;
  const successor = { ...old, scopes: old.scopes as KeyScope[], expiresAt };
  const issued = await issueKey(transaction, old.organisation.mode, successor);
  const data = { expiresAt: oldWorksUntil, replacedBy: issued.id };
  await transaction.apiKey.update({ where: { id }, data });
  return { ok: true, issued, expiresAt, oldWorksUntil } as const;
}

/** Locks the key, so that other changes of it wait until the transaction ends. */
export async function lockKey(transaction: Models, id: string) {
  await transaction.$queryRaw`SELECT id FROM api_key WHERE id = ${id}::uuid FOR UPDATE`;
  return transaction.apiKey.findUnique({ where: { id }, include: { organisation: true } });
}

function refusalOf(key: ApiKey | null, now: Date) {
  if (!key) return 'unknown';
  if (key.revokedAt && key.revokedAt <= now) return 'revoked';
  if (key.expiresAt && key.expiresAt <= now) return 'expired';
  return key.replacedBy === null ? undefined : 'replaced';
}

/** The successor of a key that was meant to live for 90 days lives for 90 days. */
const sameLifetime = ({ createdAt, expiresAt }: ApiKey, now: Date): Date | undefined =>
  expiresAt ? new Date(now.getTime() + expiresAt.getTime() - createdAt.getTime()) : undefined;
