import { type KeyScope, newId } from '@gangan/protocol';
import { sql } from '../sql/statement.js';
import type { Statements } from '../sql/statements.js';
import { newApiKey, type NewApiKey } from './secrets.js';
import type { Mode } from './tenant.js';

export interface IssueKeyInput {
  readonly organisationId: string;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly expiresAt?: Date | undefined;
}

export interface IssuedKey extends NewApiKey {
  readonly id: string;
}

/** Makes a key. What is returned is the only place where it is ever readable. */
export async function issueKey(transaction: Statements, mode: Mode, wish: IssueKeyInput): Promise<IssuedKey> {
  const issued = { id: newId(), ...newApiKey(mode) };
  await insertKey(transaction, issued, wish);
  return issued;
}

export async function insertKey(
  transaction: Statements,
  { id, prefix, hash }: Omit<IssuedKey, 'key'>,
  { organisationId, name, scopes, expiresAt }: IssueKeyInput,
): Promise<void> {
  await transaction.execute(sql`
    INSERT INTO api_key (id, organisation_id, name, prefix, hash, scopes, expires_at)
    VALUES (${id}, ${organisationId}, ${name}, ${prefix}, ${hash}, ${[...scopes]}, ${expiresAt ?? null})
    ON CONFLICT DO NOTHING`);
}

/** From now on the key opens nothing; one that was revoked before keeps its date. */
export async function revokeKey(transaction: Statements, id: string): Promise<void> {
  await transaction.execute(sql`
    UPDATE api_key SET revoked_at = now() WHERE id = ${id} AND (revoked_at IS NULL OR revoked_at > now())`);
}

/** Lets the key live until then, or without end. */
export async function expireKey(transaction: Statements, id: string, at: Date | undefined): Promise<void> {
  await transaction.execute(sql`UPDATE api_key SET expires_at = ${at ?? null} WHERE id = ${id}`);
}
