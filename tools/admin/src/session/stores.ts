import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveSecretFiles } from '@gangan/protocol';
import { MasterKeys, type QueueConnection } from '@gangan/queue';
import { splitKeys } from '@gangan/sealing';
import { projectRoot } from '../project-root.js';
import { CommandError, usable } from './errors.js';

export type Settings = ReturnType<typeof readSettings>;

/** Reads the variables of the apps and of the start command. A blank variable counts as absent. */
export function readSettings(given: NodeJS.ProcessEnv) {
  const environment = resolveSecretFiles(given, [
    'DATABASE_URL',
    'REDIS_URL',
    'QUEUE_MASTER_KEY',
    'QUEUE_KEY',
    'DATA_MASTER_KEY',
    'BACKUP_KEY',
  ]);
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined;
  return {
    databaseUrl: text('DATABASE_URL'),
    redisUrl: text('REDIS_URL'),
    queueMasterKey: text('QUEUE_MASTER_KEY'),
    /** Of version 0.2. */
    earlierQueueKey: text('QUEUE_KEY'),
    dataMasterKey: text('DATA_MASTER_KEY'),
    backupKey: text('BACKUP_KEY'),
    defaultRegion: text('DEFAULT_REGION'),
    actor: text('GANGAN_ACTOR'),
    /** Any variable, also from a file (NAME_FILE). */
    variable: (name: string): string | undefined =>
      resolveSecretFiles(given, [name])[name]?.trim() || undefined,
    /** Of `pnpm start`. */
    dataDir: text('GANGAN_DATA_DIR') ?? join(projectRoot, '.data'),
  };
}

/** DATABASE_URL, or the database of the system that `pnpm start` runs on this machine. */
export async function databaseUrlOf({ databaseUrl, dataDir }: Settings): Promise<string> {
  if (databaseUrl !== undefined) return databaseUrl;
  // Server images do not contain the embedded Postgres.
  const embedded = await import('@gangan/embedded-postgres').catch(() => undefined);
  const url = await embedded?.findEmbeddedPostgres(join(dataDir, 'postgres'));
  if (url !== undefined) return url;
  throw new CommandError(
    `No database: start the system with \`pnpm start\` (its data is in ${dataDir}), or set DATABASE_URL.`,
  );
}

export async function queueConnectionOf(settings: Settings): Promise<QueueConnection> {
  if (settings.redisUrl !== undefined) return { kind: 'redis', url: settings.redisUrl };
  return { kind: 'postgres', url: await databaseUrlOf(settings), poolSize: 2 };
}

interface KeyFile {
  readonly file: string;
  /** What is said if there is no key; if it is absent, none is needed. */
  readonly missing?: string;
}

/** Where the system that `pnpm start` runs on this machine keeps its keys. */
const keyFiles = {
  queueMasterKey: {
    file: 'queue-master.key',
    missing:
      'There is no master key of the queues: set QUEUE_MASTER_KEY. Jobs, and requests that no worker has read, are sealed with keys that are derived from it.',
  },
  earlierQueueKey: { file: 'queue-0.2.key' },
  dataMasterKey: {
    file: 'data-master.key',
    missing: 'Secrets are stored sealed: set DATA_MASTER_KEY, from which the keys of the apps are derived.',
  },
  backupKey: { file: 'backup.key' },
} satisfies Partial<Record<keyof Settings, KeyFile>>;

/** From the variable, or from the system that `pnpm start` runs on this machine. */
export async function configuredKeys(settings: Settings, name: keyof typeof keyFiles): Promise<string[]> {
  const { [name]: given, databaseUrl, dataDir } = settings;
  const { file, missing }: KeyFile = keyFiles[name];
  const isOwn = given === undefined && databaseUrl === undefined;
  const kept = isOwn ? await readFile(join(dataDir, file), 'utf8').catch(() => '') : '';
  const keys = given ?? kept.trim();
  if (keys !== '') return splitKeys(keys);
  if (missing === undefined) return [];
  throw new CommandError(`${missing} \`openssl rand -base64 32\` prints a new one.`);
}

/** The queue keys of all apps. */
export async function queueKeysOf(settings: Settings): Promise<MasterKeys> {
  const masters = await configuredKeys(settings, 'queueMasterKey');
  return usable(() => new MasterKeys(masters));
}
