import { migrate, MigrationError, seedDemo } from '@gangan/database';
import { migrateQueue } from '@gangan/queue';
import process from 'node:process';

const usage = `pnpm migrate [--demo]

Brings the database of DATABASE_URL to the newest schema; without REDIS_URL also the queue's tables in it.
  --demo   also seeds the demo organisation and its key (never with NODE_ENV=production)
`;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(flags: readonly string[]): Promise<void> {
  const { DATABASE_URL: url, REDIS_URL: redisUrl } = process.env;
  if (!url) throw new MigrationError('DATABASE_URL is not set: name the database to migrate.');
  const applied = await migrate(url, say);
  say(applied.length > 0 ? `${applied.length} applied; the schema is up to date` : 'The schema is up to date');
  if (!redisUrl) {
    await migrateQueue(url);
    say('The queue tables are up to date');
  }
  if (flags.includes('--demo')) say(`The demo organisation is there; its key is ${(await seedDemo(url)).apiKey}`);
}

const flags = process.argv.slice(2).filter((flag) => flag !== '--');
const unknown = flags.filter((flag) => flag !== '--demo');
if (unknown.length > 0) {
  process.stderr.write(usage);
  process.exitCode = unknown.includes('--help') ? 0 : 2;
} else {
  await main(flags).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
