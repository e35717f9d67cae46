import { writeFile } from 'node:fs/promises';
import type { BackupAccess } from '@gangan/storage';
import { backupSealer, newSealingKey, type StreamSealer } from '@gangan/sealing';
import { Option } from 'commander';
import { CommandError, describeFailure, usable } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';
import { configuredKeys } from '../session/stores.js';

export interface ReadChoices {
  readonly allowUnauthenticated?: true;
}

export const allowUnauthenticated = (): Option =>
  new Option(
    '--allow-unauthenticated',
    'accept a backup that is not encrypted, as earlier versions made it: anyone may have changed it',
  );

/** With the keys of BACKUP_KEY. @throws CommandError without a usable one */
export async function sealerOf(session: AdminSession): Promise<StreamSealer> {
  const keys = await configuredKeys(session.settings, 'backupKey');
  if (keys.length > 0) return withKeys(keys);
  throw new CommandError(
    'A backup is encrypted, and BACKUP_KEY is not set. Make a key with `pnpm admin backup key <file>`, set BACKUP_KEY_FILE to that file, and keep a copy in another place. `pnpm start` makes one in its data folder. Nothing was written.',
  );
}

/** Without a key, only a backup that is not encrypted can be read. */
export async function accessOf(session: AdminSession, choices: ReadChoices): Promise<BackupAccess> {
  const keys = await configuredKeys(session.settings, 'backupKey');
  return { ...choices, sealer: keys.length > 0 ? withKeys(keys) : undefined };
}

/** @throws CommandError if the file exists: a key is never overwritten */
export async function writeNewKey(file: string): Promise<StreamSealer> {
  const key = newSealingKey();
  await writeFile(file, `${key}\n`, { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
    const reason =
      (cause as NodeJS.ErrnoException).code === 'EEXIST'
        ? `${file} already exists: choose another name.`
        : `The key cannot be written (${describeFailure(cause)}).`;
    throw new CommandError(`${reason} Nothing was written.`, { cause });
  });
  return withKeys([key]);
}

const withKeys = (keys: readonly string[]): StreamSealer => usable(() => backupSealer(keys));
