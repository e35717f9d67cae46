import { newSealingKey } from '@gangan/sealing';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../settings.js';

export const queueMasterKeyIn = (dataDir: string) => ({
  file: join(dataDir, 'queue-master.key'),
  name: 'master key of the queues',
  loss: 'jobs and replies sealed with the old one cannot be read',
});

export const dataMasterKeyIn = (dataDir: string) => ({
  file: join(dataDir, 'data-master.key'),
  name: 'master key of the stored secrets',
  loss: 'callback secrets sealed with the old one cannot be opened; replace them with `pnpm admin secrets rotate`',
});

export const otpPepperIn = (dataDir: string) => ({
  file: join(dataDir, 'otp.pepper'),
  name: 'pepper of the OTPs',
  loss: 'OTPs that were sent under the old one cannot be verified',
});

/** Apps do not get it; `pnpm admin backup` reads the file. */
export const backupKeyIn = (dataDir: string) => ({
  file: join(dataDir, 'backup.key'),
  name: 'key of the backups',
  loss: 'a backup made with an earlier key can be restored only with that key',
});

/** Creates a secret at the first start and keeps it in a file. `onNew` gets a warning when there was none. */
export async function readOrCreateKey(
  { file, name, loss }: ReturnType<typeof queueMasterKeyIn>,
  onNew: (warning: string) => void,
): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (Buffer.from(kept, 'base64').length === 32) return kept;
  if (kept !== '')
    throw new StartError(
      `The ${name} in ${file} is damaged. Restore it, or delete the file to get a new one: ${loss}.`,
    );
  const key = newSealingKey();
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  onNew(`A new ${name} was created in ${file}. If another one was used before, ${loss}.`);
  return key;
}
