import { commandOf, isAlive } from '@gangan/embedded-postgres';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { codeOf } from './error-code.js';
import { StartError } from './start-error.js';

/** One start at a time per data folder. The file names the process that holds it, and where that one is reached. */
export async function takeLock(file: string, url: string): Promise<() => Promise<void>> {
  const mine = `${file}.${process.pid}.mine`;
  await writeFile(mine, `${process.pid}\n${url}\n`);
  try {
    return await takeWith(mine, file);
  } finally {
    await rm(mine, { force: true });
  }
}

/** Linked to its place when it is written: nobody finds it empty and takes it for a stale one. */
async function takeWith(mine: string, file: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      await link(mine, file);
      return () => rm(file, { force: true });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const found = await readFile(file, 'utf8').catch(() => '');
    if (await isHeld(found)) throw alreadyRunning(found);
    await discard(file, found);
  }
}

async function isHeld(content: string): Promise<boolean> {
  const pid = Number(content.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid || !isAlive(pid)) return false;
  const command = await commandOf(pid);
  return command === '' || command.includes('tools/start');
}

/** Moved before it is removed: of several starts that find a stale lock, one gets it, and none removes a fresh one. */
async function discard(file: string, stale: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  const moved = await readFile(aside, 'utf8');
  if (moved === stale) await rm(aside);
  else await rename(aside, file);
}

function alreadyRunning(content: string): StartError {
  const [pid = '', url = ''] = content.split('\n');
  return new StartError(
    `Gangan already runs on this data folder: ${url} (process ${pid}). ` +
      `Stop it with Ctrl-C in its terminal or \`kill ${pid}\`, ` +
      'or start a second one beside it with another GANGAN_DATA_DIR and PORT.',
  );
}
