import { describeError } from '@gangan/protocol';
import { chmod, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartError } from './settings.js';

export type DataDir = Awaited<ReturnType<typeof openDataDir>>;

/** Creates the folder of everything that is kept between starts, and returns the paths in it. */
export async function openDataDir(dataDir: string) {
  const path = resolve(dataDir);
  const logs = join(path, 'logs');
  try {
    await mkdir(logs, { recursive: true });
    // If we are root, Postgres runs as another user, who must be able to enter.
    if (process.getuid?.() === 0) await Promise.all([chmod(path, 0o711), chmod(logs, 0o711)]);
  } catch (cause) {
    throw new StartError(
      `The data folder ${path} cannot be used (${describeError(cause)}). ` +
        'Make it writable, or choose another with GANGAN_DATA_DIR=/some/folder.',
      { cause },
    );
  }
  return {
    path,
    logs,
    postgres: join(path, 'postgres'),
    queueKey: join(path, 'queue.key'),
    otpPepper: join(path, 'otp.pepper'),
    lock: join(path, 'start.lock'),
    running: join(path, 'running.json'),
    logOf: (app: string) => join(logs, `${app}.log`),
  };
}
