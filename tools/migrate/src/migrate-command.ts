import { migrate, seedDemo } from '@gangan/database';
import { describeError, resolveSecretFiles } from '@gangan/protocol';
import { migrateQueue } from '@gangan/queue';

export interface Console {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

const usage = `pnpm migrate [--demo]

Migrates the database of DATABASE_URL (or DATABASE_URL_FILE) to the newest schema; without REDIS_URL also the tables of
the queue.
  --demo   also seeds the demo organisation and its key (never with NODE_ENV=production)`;

/** Returns the exit code: 0 done, 1 failed, 2 wrong arguments. */
export async function migrateCommand(
  flags: readonly string[],
  environment: NodeJS.ProcessEnv,
  { print, printError }: Console,
): Promise<number> {
  if (flags.includes('--help')) {
    print(usage);
    return 0;
  }
  if (flags.some((flag) => flag !== '--demo')) {
    printError(usage);
    return 2;
  }
  try {
    return await run(
      flags.includes('--demo'),
      resolveSecretFiles(environment, ['DATABASE_URL', 'REDIS_URL']),
      {
        print,
        printError,
      },
    );
  } catch (error) {
    printError(describeError(error));
    return 1;
  }
}

async function run(
  demo: boolean,
  { DATABASE_URL: url, REDIS_URL: redisUrl, NODE_ENV: mode }: NodeJS.ProcessEnv,
  { print, printError }: Console,
): Promise<number> {
  if (!url) {
    printError('DATABASE_URL is not set: set it to the database to migrate.');
    return 1;
  }
  if (demo && mode === 'production') {
    printError(
      'The demo organisation has a public key and play money: it is never seeded with NODE_ENV=production.',
    );
    return 1;
  }
  const applied = await migrate(url, print);
  print(
    applied.length > 0 ? `${applied.length} applied; the schema is up to date` : 'The schema is up to date',
  );
  if (!redisUrl) {
    await migrateQueue(url);
    print('The queue tables are up to date');
  }
  if (demo) print(`The demo organisation exists; its key is ${(await seedDemo(url)).apiKey}`);
  return 0;
}
