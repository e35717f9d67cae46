import { type Database, rotateKey, type Rotation, type RotateKeyInput } from '@gangan/database';
import { CommandError } from '../session/command-error.js';
import type { StoredKey } from './key.repository.js';

const refusals = {
  unknown: 'is gone',
  revoked: 'is revoked: issue a new one with `pnpm admin keys issue`',
  expired: 'is expired: issue a new one with `pnpm admin keys issue`',
  replaced: 'was rotated before: rotate its successor, or issue a new one with `pnpm admin keys issue`',
};

/** @throws CommandError when the key can have no successor */
export async function rotate(
  database: Database,
  { id, prefix }: StoredKey,
  wish: RotateKeyInput,
): Promise<Extract<Rotation, { ok: true }>> {
  const rotation = await rotateKey(database, id, wish);
  if (!rotation.ok) throw new CommandError(`The key ${prefix} ${refusals[rotation.because]}.`);
  return rotation;
}
