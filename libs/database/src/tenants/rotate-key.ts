import type { KeyScope } from '@gangan/protocol';
import { sql } from '../sql/statement.js';
import type { Statements } from '../sql/statements.js';
import { type IssuedKey, issueKey } from './api-keys.js';
import type { Mode } from './tenant.js';

export interface RotateKeyInput {
  /** How long the old key still works. A rotation never prolongs it. */
  readonly overlapMs: number;
  /** Of the successor; it lives as long as the old key was meant to, unless given. */
  readonly expiresAt?: Date | undefined;
}

export type Rotation =
  | {
      readonly ok: true;
      readonly issued: IssuedKey;
      readonly expiresAt: Date | undefined;
      readonly oldWorksUntil: Date;
    }
  | { readonly ok: false; readonly because: 'unknown' | 'revoked' | 'expired' | 'replaced' };

interface OldKey {
  readonly organisationId: string;
  readonly mode: Mode;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly obstacle: 'revoked' | 'expired' | 'replaced' | null;
}

/**
 * Makes a successor with the same name and scopes; the old key lives on for the overlap. A key has one successor: one
 * in its overlap no longer tells for how long it was meant to live.
 */
export async function rotateKey(
  transaction: Statements,
  id: string,
  { overlapMs, expiresAt }: RotateKeyInput,
): Promise<Rotation> {
  const old = await lockKey(transaction, id);
  if (!old || old.obstacle) return { ok: false, because: old?.obstacle ?? 'unknown' };
  const now = Date.now();
  const wish = { ...old, expiresAt: expiresAt ?? sameLifetime(old, now) };
  const issued = await issueKey(transaction, old.mode, wish);
  const ends = new Date(now + overlapMs);
  const oldWorksUntil = old.expiresAt && old.expiresAt < ends ? old.expiresAt : ends;
  await transaction.execute(sql`
    UPDATE api_key SET expires_at = ${oldWorksUntil}, replaced_by = ${issued.id} WHERE id = ${id}`);
  return { ok: true, issued, expiresAt: wish.expiresAt, oldWorksUntil };
}

/** Held until the transaction ends, so that of two rotations the second finds the first. */
async function lockKey(transaction: Statements, id: string): Promise<OldKey | undefined> {
  const [key] = await transaction.query<OldKey>(sql`
    SELECT k.organisation_id AS "organisationId", o.mode, k.name, k.scopes, k.created_at AS "createdAt",
      k.expires_at AS "expiresAt",
      CASE WHEN k.revoked_at <= now() THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
           WHEN k.replaced_by IS NOT NULL THEN 'replaced' END AS obstacle
    FROM api_key k JOIN organisation o ON o.id = k.organisation_id WHERE k.id = ${id} FOR UPDATE OF k`);
  return key;
}

/** A key that was meant to live for 90 days has a successor that is. */
const sameLifetime = ({ createdAt, expiresAt }: OldKey, now: number): Date | undefined =>
  expiresAt ? new Date(now + expiresAt.getTime() - createdAt.getTime()) : undefined;
