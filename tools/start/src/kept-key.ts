import { newQueueKey } from '@gangan/queue';
import { readFile, writeFile } from 'node:fs/promises';
import { StartError } from './start-error.js';

const keyBytes = 32;

/** A secret of the own system, and what is lost with it. */
export interface KeptKey {
  readonly file: string;
  readonly name: string;
  readonly loss: string;
}

export const queueKeyIn = (file: string): KeptKey => ({
  file,
  name: 'key of the queues',
  loss: 'what was queued or on its way under the old one cannot be read',
});

export const otpPepperIn = (file: string): KeptKey => ({
  file,
  name: 'pepper of the OTPs',
  loss: 'OTPs that were sent under the old one cannot be verified',
});

/**
 * Made once: what was sealed before a restart must be opened after it.
 * @param madeAnew told in words when there was none
 */
export async function keptKey(
  { file, name, loss }: KeptKey,
  madeAnew: (words: string) => void,
): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept === '') {
    const key = newQueueKey();
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    madeAnew(`The ${name} is gone from ${file}. A new one was made: ${loss}.`);
    return key;
  }
  if (Buffer.from(kept, 'base64').length === keyBytes) return kept;
  throw new StartError(
    `The ${name} in ${file} is damaged. Put the right one back, or delete the file: ` +
      `a new one is then made, and ${loss}.`,
  );
}
