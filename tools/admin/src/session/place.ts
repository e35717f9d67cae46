import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueueConnection } from '@gangan/queue';
import { CommandError } from './command-error.js';
import type { Settings } from './settings.js';

const queueConnections = 2;

/** The database that was named, or that of the system which `pnpm start` runs here. */
export async function databaseUrlOf({ databaseUrl, dataDir }: Settings): Promise<string> {
  const url = databaseUrl ?? (await ownDatabase(dataDir));
  if (url !== undefined) return url;
  throw new CommandError(
    `No database: start the system with \`pnpm start\` (its data is in ${dataDir}), or name its database in DATABASE_URL.`,
  );
}

/** Images for servers come without the embedded Postgres. */
async function ownDatabase(dataDir: string): Promise<string | undefined> {
  const embedded = await import('@gangan/embedded-postgres').catch(() => undefined);
  return embedded?.findEmbeddedPostgres(join(dataDir, 'postgres'));
}

export async function queueConnectionOf(settings: Settings): Promise<QueueConnection> {
  if (settings.redisUrl !== undefined) return { kind: 'redis', url: settings.redisUrl };
  return { kind: 'postgres', url: await databaseUrlOf(settings), poolSize: queueConnections };
}

export async function queueKeysOf({ queueKey, databaseUrl, dataDir }: Settings): Promise<string[]> {
  const kept =
    databaseUrl === undefined ? await readFile(join(dataDir, 'queue.key'), 'utf8').catch(() => '') : '';
  const keys = queueKey ?? kept.trim();
  if (keys !== '') return keys.split(',').map((key) => key.trim());
  throw new CommandError('What a job carries is sealed: set QUEUE_KEY to the key of the apps to open it.');
}
