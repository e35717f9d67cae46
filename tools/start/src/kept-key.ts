import { newQueueKey } from '@gangan/queue';
import { readFile, writeFile } from 'node:fs/promises';
import { StartError } from './settings.js';

/** A secret that is created at the first start and kept in a file, and what is lost with it. */
export interface KeptKey {
  readonly file: string;
  readonly name: string;
  readonly loss: string;
}

export const queueKeyIn = (file: string): KeptKey => ({
  file,
  name: 'key of the queues',
  loss: 'jobs and replies sealed with the old one cannot be read',
});

export const otpPepperIn = (file: string): KeptKey => ({
  file,
  name: 'pepper of the OTPs',
  loss: 'OTPs that were sent under the old one cannot be verified',
});

/** @param onNew called with a warning when there was no key */
export async function keptKey(
  { file, name, loss }: KeptKey,
  onNew: (warning: string) => void,
): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept === '') {
    const key = newQueueKey();
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    onNew(`The ${name} is gone from ${file}. A new one was made: ${loss}.`);
    return key;
  }
  if (Buffer.from(kept, 'base64').length === 32) return kept;
  throw new StartError(
    `The ${name} in ${file} is damaged. Restore it, or delete the file to get a new one: ${loss}.`,
  );
}
