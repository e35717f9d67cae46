import { runs } from '@gangan/embedded-postgres';
import { describeError } from '@gangan/protocol';
import { once } from 'node:events';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { StartError } from './settings.js';

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

/**
 * Allows one start at a time per data folder. The lock names the process that holds it and its URL. It is written
 * elsewhere and linked, so that no other start reads it half written. Returns the function that releases it.
 */
export async function takeLock(file: string, url: string): Promise<() => Promise<void>> {
  const mine = `${file}.${process.pid}.mine`;
  await writeFile(mine, `${process.pid}\n${url}\n`);
  try {
    for (;;) {
      try {
        await link(mine, file);
        return () => rm(file, { force: true });
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
      }
      const found = await readFile(file, 'utf8').catch(() => '');
      await assertStale(found);
      await discard(file, found);
    }
  } finally {
    await rm(mine, { force: true });
  }
}

/** Throws if the process that the lock names still runs the start command; its id may since belong to another. */
async function assertStale(lock: string): Promise<void> {
  const [id, url = ''] = lock.split('\n');
  const pid = Number(id);
  if (!(pid > 0) || pid === process.pid || !(await runs(pid, 'tools/start'))) return;
  throw new StartError(
    `Gangan already runs on this data folder: ${url} (process ${pid}). ` +
      `Stop it with Ctrl-C in its terminal or \`kill ${pid}\`, ` +
      'or start a second one with another GANGAN_DATA_DIR and PORT.',
  );
}

/** Moves the lock away before removing it: another start may have replaced the stale lock with its own. */
async function discard(file: string, stale: string): Promise<void> {
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) === stale) await rm(aside);
  else await rename(aside, file);
}

/** Checks the gateway's port before anything is started. */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host);
  try {
    await once(probe, 'listening');
  } catch (error) {
    const fault = isCode(error, 'EADDRINUSE')
      ? 'is taken by another program'
      : `cannot be used (${describeError(error)})`;
    const advice = `Stop that program, or choose another port: PORT=${port + 1} npx pnpm@12 start`;
    throw new StartError(`Port ${port} ${fault}. ${advice}`, { cause: error });
  }
  probe.close();
  await once(probe, 'close');
}
