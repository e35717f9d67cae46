import { readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';

/** Longer than the responses for an `Idempotency-Key` are kept. */
const keptMs = 2 * 24 * 3_600_000;

/**
 * The key of version 0.2, which opens what that version stored: for two days after the first start of a later version, then it
 * is deleted.
 */
export async function readEarlierQueueKey(
  dataDir: string,
  say: (line: string) => void,
  now = new Date(),
): Promise<string | undefined> {
  const [found, kept] = [join(dataDir, 'queue.key'), join(dataDir, 'queue-0.2.key')];
  if (await isFile(found)) {
    await utimes(found, now, now);
    await rename(found, kept);
  }
  if (!(await isFile(kept))) return undefined;
  const { mtimeMs } = await stat(kept);
  if (now.getTime() - mtimeMs <= keptMs) return (await readFile(kept, 'utf8')).trim();
  await rm(kept);
  say('Deleted the key of version 0.2: nothing that was sealed with it is kept any more');
  return undefined;
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
