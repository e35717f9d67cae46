import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const projectRoot = fileURLToPath(new URL('../../../../', import.meta.url));

export interface Settings {
  readonly databaseUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly queueKey: string | undefined;
  readonly defaultRegion: string | undefined;
  /** Of `pnpm start`. */
  readonly dataDir: string;
}

/** The variables of the apps and of the start command; an empty one is an absent one. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined;
  return {
    databaseUrl: text('DATABASE_URL'),
    redisUrl: text('REDIS_URL'),
    queueKey: text('QUEUE_KEY'),
    defaultRegion: text('DEFAULT_REGION'),
    dataDir: text('GANGAN_DATA_DIR') ?? join(projectRoot, '.data'),
  };
}
