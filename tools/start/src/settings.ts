import { appVariable, describeError, resolveSecretFiles } from '@gangan/protocol';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apps } from './apps/apps.js';

/** A reason not to start and what to do about it; printed without a stack. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

const secrets = [
  'DATABASE_URL',
  'REDIS_URL',
  'QUEUE_MASTER_KEY',
  'QUEUE_KEY',
  'DATA_MASTER_KEY',
  'OTP_PEPPER',
  'BACKUP_KEY',
];

/** The environment with the secrets that are given as files. @throws StartError if one cannot be read */
export function readEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  try {
    const ofApps = apps.map(({ name }) => appVariable(name, 'DATABASE_URL'));
    return resolveSecretFiles(env, [...secrets, ...ofApps]);
  } catch (cause) {
    throw new StartError(describeError(cause), { cause });
  }
}

export type Settings = ReturnType<typeof readSettings>;

/** Reads the arguments and variables of the start command. A blank variable counts as absent, as in an `.env` file. */
export function readSettings(env: NodeJS.ProcessEnv, args: readonly string[] = []) {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const number = (name: string, max: number, byDefault: number): number => {
    const value = Number(text(name) ?? byDefault);
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    throw new StartError(`${name} must be a whole number from 1 to ${max}.`);
  };
  const compact = args.includes('--compact');
  const poolSize = compact ? 4 : 8;
  const [databaseUrl, production] = [text('DATABASE_URL'), text('NODE_ENV') === 'production'];
  return {
    dataDir: text('GANGAN_DATA_DIR') ?? join(projectRoot, '.data'),
    host: text('HOST') ?? '127.0.0.1',
    port: number('PORT', 65_535, 3000),
    databaseUrl,
    redisUrl: text('REDIS_URL'),
    queueMasterKey: text('QUEUE_MASTER_KEY'),
    /** Of version 0.2. */
    earlierQueueKey: text('QUEUE_KEY'),
    dataMasterKey: text('DATA_MASTER_KEY'),
    otpPepper: text('OTP_PEPPER'),
    /** Only `pnpm admin backup` reads it. */
    hasBackupKey: text('BACKUP_KEY') !== undefined,
    production,
    /** All workers in one process. */
    compact,
    /** The demo key is public: it gets into a database of others only if asked for. */
    seedsDemo: !production && (databaseUrl === undefined || text('SEED_DEMO') === 'true'),
    /** Upper bounds; the apps share the connections of the server. More than 8 make nothing faster on a small machine, and each takes memory. */
    maxPoolSizes: {
      database: number('DATABASE_POOL_SIZE', 500, poolSize),
      queue: number('QUEUE_POOL_SIZE', 500, poolSize),
    },
  } as const;
}

const localHosts = ['127.0.0.1', '::1', '0.0.0.0', '::'];

/** The URL at which a browser on this machine reaches what listens on `host`. */
export function urlOf(host: string, port: number): string {
  if (localHosts.includes(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
