import { runs, serverUser } from '@gangan/embedded-postgres';
import { describeError } from '@gangan/protocol';
import { chmod, chown, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartError } from '../settings.js';

export type DataDir = Awaited<ReturnType<typeof openDataDir>>;

/**
 * Creates the folder of everything that is kept between starts, and returns the paths in it. Other users may not read it,
 * also if an earlier version let them. What is written into it later follows the umask of this process.
 * @param embedded whether Postgres keeps its data in it
 */
export async function openDataDir(dataDir: string, embedded: boolean) {
  const path = resolve(dataDir);
  const logs = join(path, 'logs');
  try {
    await mkdir(logs, { recursive: true });
    for (const name of await readdir(logs)) await chmod(join(logs, name), 0o600);
    // If we are root, Postgres runs as another user, whose group may enter.
    const { gid } = embedded ? await serverUser() : {};
    for (const folder of (await isShared(path)) ? [logs] : [path, logs]) {
      if (gid !== undefined) await chown(folder, -1, gid);
      await chmod(folder, gid === undefined ? 0o700 : 0o710);
    }
  } catch (cause) {
    throw new StartError(
      `The data folder ${path} cannot be used (${describeError(cause)}). ` +
        'Make it writable, or choose another with GANGAN_DATA_DIR=/some/folder.',
      { cause },
    );
  }
  return {
    path,
    postgres: join(path, 'postgres'),
    lock: join(path, 'start.lock'),
    runningApps: join(path, 'running.json'),
    logOf: (app: string) => join(logs, `${app}.log`),
  };
}

/** A folder of another user, such as a mounted volume, or of all users, such as /tmp, keeps its mode. */
async function isShared(folder: string): Promise<boolean> {
  const { uid, mode } = await stat(folder);
  return uid !== process.getuid?.() || (mode & 0o1000) !== 0;
}

/**
 * Allows one start at a time per data folder. The lock names the process that holds it and its URL. It is written
 * elsewhere and linked, so that no other start reads it half written. Returns the function that releases it.
 */
export async function takeLock(file: string, url: string): Promise<() => Promise<void>> {
  const mine = `${file}.${process.pid}.mine`;
  const stale = `${file}.${process.pid}.stale`;
  await writeFile(mine, `${process.pid}\n${url}\n`);
  try {
    while (await failsWith('EEXIST', link(mine, file))) {
      const found = await readFile(file, 'utf8').catch(() => '');
      assertStale(found);
      // Moved away before it is removed: another start may have replaced the stale lock with its own.
      if (await failsWith('ENOENT', rename(file, stale))) continue;
      if ((await readFile(stale, 'utf8')) === found) await rm(stale);
      else await rename(stale, file);
    }
    return () => rm(file, { force: true });
  } finally {
    await rm(mine, { force: true });
  }
}

const failsWith = (code: string, work: Promise<void>): Promise<boolean> =>
  work.then(
    () => false,
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === code) return true;
      throw error;
    },
  );

/** Throws if the process that the lock names still runs the start command; its id may since belong to another. */
function assertStale(lock: string): void {
  const [id, url = ''] = lock.split('\n');
  const pid = Number(id);
  if (!(pid > 0) || pid === process.pid || !runs(pid, 'tools/start')) return;
  throw new StartError(
    `Gangan already runs on this data folder: ${url} (process ${pid}). ` +
      `Stop it with Ctrl-C in its terminal or \`kill ${pid}\`, ` +
      'or start a second one with another GANGAN_DATA_DIR and PORT.',
  );
}
