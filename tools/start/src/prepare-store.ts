import {
  type AppName,
  createAppLogins,
  databaseUrlFault,
  grantRoles,
  migrate,
  perApp,
  seedDemo,
} from '@gangan/database';
import { withClient } from '@gangan/embedded-postgres';
import { describeError, redactUrl } from '@gangan/protocol';
import { migrateQueue, newQueueKey, QueueAdmin, queueGrants, redisUrlFault } from '@gangan/queue';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Settings, StartError } from './settings.js';

export type Order = Pick<Settings, 'dataDir' | 'redisUrl' | 'queueKey' | 'otpPepper' | 'seedsDemo'> & {
  readonly databaseUrl: string;
  /** Whether the database is the embedded one, in which this command creates the users of the apps. */
  readonly embedded: boolean;
};
export type Prepared = Awaited<ReturnType<typeof prepareStore>>;

/** Prepares database and queue for the apps. */
export async function prepareStore(order: Order, say: (line: string) => void) {
  const { databaseUrl, redisUrl, dataDir } = order;
  const faults = {
    DATABASE_URL: databaseUrlFault(databaseUrl),
    REDIS_URL: redisUrl && redisUrlFault(redisUrl),
  };
  for (const [name, fault] of Object.entries(faults)) if (fault) throw new StartError(`${name} ${fault}.`);
  const { freeConnections, isNew } = await inspect(databaseUrl);
  // Nothing in a new database depends on an earlier key.
  const onNewKey = isNew ? () => undefined : say;
  const queueKey = order.queueKey ?? (await readOrCreateKey(queueKeyIn(dataDir), onNewKey));
  const otpPepper = order.otpPepper ?? (await readOrCreateKey(otpPepperIn(dataDir), onNewKey));
  const applied = await migrate(databaseUrl);
  if (applied.length > 0) say(`Migrated the database (${applied.length} new)`);
  if (redisUrl === undefined) await migrateQueue(databaseUrl);
  else await assertReachable(redisUrl);
  const databaseUrls = await openRoles(order, say);
  const demoKey = order.seedsDemo ? (await seedDemo(databaseUrl)).apiKey : undefined;
  return { databaseUrls, queueKey, otpPepper, demoKey, freeConnections };
}

/** The URL of the database for each app: in the embedded database each has its own user, elsewhere the given one. */
async function openRoles(
  { databaseUrl, redisUrl, embedded }: Order,
  say: (line: string) => void,
): Promise<Readonly<Record<AppName, string>>> {
  const roles = await grantRoles(databaseUrl, redisUrl === undefined ? queueGrants : undefined);
  if (!roles.granted) say('The roles of the apps could not be created; pnpm migrate prints the SQL');
  if (!embedded) return perApp(() => databaseUrl);
  return createAppLogins(
    databaseUrl,
    perApp(() => randomBytes(24).toString('base64url')),
  );
}

export const queueKeyIn = (dataDir: string) => ({
  file: join(dataDir, 'queue.key'),
  name: 'key of the queues',
  loss: 'jobs and replies sealed with the old one cannot be read',
});

export const otpPepperIn = (dataDir: string) => ({
  file: join(dataDir, 'otp.pepper'),
  name: 'pepper of the OTPs',
  loss: 'OTPs that were sent under the old one cannot be verified',
});

/** Creates a secret at the first start and keeps it in a file. `onNew` gets a warning when there was none. */
export async function readOrCreateKey(
  { file, name, loss }: ReturnType<typeof queueKeyIn>,
  onNew: (warning: string) => void,
): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (Buffer.from(kept, 'base64').length === 32) return kept;
  if (kept !== '')
    throw new StartError(
      `The ${name} in ${file} is damaged. Restore it, or delete the file to get a new one: ${loss}.`,
    );
  const key = newQueueKey();
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  onNew(`The ${name} is gone from ${file}. A new one was made: ${loss}.`);
  return key;
}

async function inspect(url: string) {
  const config = { connectionString: url, connectionTimeoutMillis: 10_000 };
  const { rows } = await withClient(config, (client) =>
    client.query<{ freeConnections: number; isNew: boolean }>(`
      SELECT (current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0)
        - (SELECT sum(numbackends) FROM pg_stat_database) + 1)::int AS "freeConnections",
        to_regclass('_prisma_migrations') IS NULL AS "isNew"`),
  ).catch((cause: unknown) => {
    throw new StartError(
      `The database at ${redactUrl(url)} cannot be used (${describeError(cause)}). ` +
        'Start it, correct DATABASE_URL, or unset it to use the embedded Postgres.',
      { cause },
    );
  });
  return rows[0] ?? { freeConnections: 0, isNew: true };
}

async function assertReachable(redisUrl: string): Promise<void> {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  try {
    const admin = await QueueAdmin.open({ connection: { kind: 'redis', url: redisUrl } }, silent);
    await admin.close();
  } catch (cause) {
    throw new StartError(
      `The Redis at ${redactUrl(redisUrl)} cannot be reached (${describeError(cause)}). ` +
        'Start it, correct REDIS_URL, or unset it to keep the queues in Postgres.',
      { cause },
    );
  }
}
