import { migrate, seedDemo } from '@gangan/database';
import { migrateQueue } from '@gangan/queue';

export interface Console {
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
}

const usage = `pnpm migrate [--demo]

Brings the database of DATABASE_URL to the newest schema; without REDIS_URL also the queue's tables in it.
  --demo   also seeds the demo organisation and its key (never with NODE_ENV=production)`;

/** Gives the exit code: 0 done, 1 failed, 2 not understood. */
export async function migrateCommand(
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
  { say, complain }: Console,
): Promise<number> {
  if (flags.includes('--help')) {
    say(usage);
    return 0;
  }
  if (flags.some((flag) => flag !== '--demo')) {
    complain(usage);
    return 2;
  }
  const { DATABASE_URL: url, REDIS_URL: redisUrl, NODE_ENV: mode } = environment;
  const demo = flags.includes('--demo');
  if (!url) {
    complain('DATABASE_URL is not set: name the database to migrate.');
    return 1;
  }
  if (demo && mode === 'production') {
    complain(
      'The demo organisation has a public key and play money: it is never seeded with NODE_ENV=production.',
    );
    return 1;
  }
  try {
    const applied = await migrate(url, say);
    say(
      applied.length > 0 ? `${applied.length} applied; the schema is up to date` : 'The schema is up to date',
    );
    if (!redisUrl) {
      await migrateQueue(url);
      say('The queue tables are up to date');
    }
    if (demo) say(`The demo organisation is there; its key is ${(await seedDemo(url)).apiKey}`);
    return 0;
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
    return 1;
  }
}
