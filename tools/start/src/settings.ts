import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { StartError } from './start-error.js';

export const projectRoot = fileURLToPath(new URL('../../../', import.meta.url));

export interface Settings {
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly queueKey: string | undefined;
  readonly otpPepper: string | undefined;
  readonly production: boolean;
  /** Pool sizes that the user wishes for; shared out as far as the server allows. */
  readonly databasePoolSize: number | undefined;
  readonly queuePoolSize: number | undefined;
}

/** An empty variable is an absent one, as in an `.env` file with a blank. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const number = (name: string, least: number, most: number): number | undefined => {
    const given = text(name);
    const value = Number(given);
    if (given === undefined) return undefined;
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new StartError(`${name} must be a whole number from ${least} to ${most}.`);
  };
  return {
    dataDir: text('GANGAN_DATA_DIR') ?? join(projectRoot, '.data'),
    host: text('HOST') ?? '127.0.0.1',
    port: number('PORT', 1, 65_535) ?? 3000,
    databaseUrl: text('DATABASE_URL'),
    redisUrl: text('REDIS_URL'),
    queueKey: text('QUEUE_KEY'),
    otpPepper: text('OTP_PEPPER'),
    production: text('NODE_ENV') === 'production',
    databasePoolSize: number('DATABASE_POOL_SIZE', 1, 500),
    queuePoolSize: number('QUEUE_POOL_SIZE', 1, 500),
  };
}
