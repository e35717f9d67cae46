import { newQueueKey } from '@gangan/queue';
import { readFile, writeFile } from 'node:fs/promises';
import { StartError } from './start-error.js';

const keyBytes = 32;

/** Made once: what was sealed before a restart must be opened after it. */
export async function keptQueueKey(file: string): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (kept === '') {
    const key = newQueueKey();
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    return key;
  }
  if (Buffer.from(kept, 'base64').length === keyBytes) return kept;
  throw new StartError(
    `The key of the queues in ${file} is damaged. Put the right one back, or delete the file: ` +
      'a new key is then made, and what is still queued under the old one is lost.',
  );
}
