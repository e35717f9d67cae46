import { type Database, type IssuedKey, issueKey, retireKey } from '@gangan/database';
import { Refusal } from '../desk/refusal.js';
import { lockKey, type StoredKey } from './key.repository.js';

/** A successor with the same name and scopes; the old key lives on for the overlap. */
export function rotateKey(
  database: Database,
  { id }: StoredKey,
  overlapMs: number,
  expiresAt?: Date,
): Promise<{ readonly issued: IssuedKey; readonly retiresAt: Date; readonly expiresAt: Date | undefined }> {
  const now = Date.now();
  const retiresAt = new Date(now + overlapMs);
  return database.transaction(async (transaction) => {
    const key = await lockKey(transaction, id);
    if (key.state !== 'active') {
      throw new Refusal(
        `The key ${key.prefix} is ${key.state}: issue a new one with \`pnpm admin keys issue\`.`,
      );
    }
    const wish = { ...key, expiresAt: expiresAt ?? sameLifetime(key, now) };
    const issued = await issueKey(transaction, key.mode, wish);
    await retireKey(transaction, id, retiresAt);
    return { issued, retiresAt, expiresAt: wish.expiresAt };
  });
}

/** A key that was meant to live for 90 days has a successor that is. */
const sameLifetime = ({ createdAt, expiresAt }: StoredKey, now: number): Date | undefined =>
  expiresAt ? new Date(now + expiresAt.getTime() - createdAt.getTime()) : undefined;
