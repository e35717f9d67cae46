import { databaseUrlFault, migrate, seedDemo } from '@gangan/database';
import { describeError, redactUrl } from '@gangan/protocol';
import { migrateQueue, newQueueKey, Queues, redisUrlFault } from '@gangan/queue';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Settings, StartError } from './settings.js';

const redisTimeoutMs = 5_000;

export type Order = Pick<Settings, 'dataDir' | 'redisUrl' | 'queueKey' | 'otpPepper' | 'production'> & {
  readonly databaseUrl: string;
};
export type Prepared = Awaited<ReturnType<typeof prepareStore>>;

/** Prepares database and queue for the apps. */
export async function prepareStore(order: Order, say: (line: string) => void) {
  const { databaseUrl, redisUrl, dataDir } = order;
  assertUsable('DATABASE_URL', databaseUrlFault(databaseUrl));
  assertUsable('REDIS_URL', redisUrl && redisUrlFault(redisUrl));
  const { freeConnections, isNew } = await inspect(databaseUrl);
  // Nothing in a new database depends on an earlier key.
  const onNewKey = isNew ? () => undefined : say;
  const queueKey = order.queueKey ?? (await keptKey(queueKeyIn(join(dataDir, 'queue.key')), onNewKey));
  const otpPepper = order.otpPepper ?? (await keptKey(otpPepperIn(join(dataDir, 'otp.pepper')), onNewKey));
  const applied = await migrate(databaseUrl);
  if (applied.length > 0) say(`Migrated the database (${applied.length} new)`);
  if (redisUrl === undefined) await migrateQueue(databaseUrl);
  else await reachRedis(redisUrl);
  const demoKey = order.production ? undefined : (await seedDemo(databaseUrl)).apiKey;
  return { databaseUrl, queueKey, otpPepper, demoKey, freeConnections };
}

export const queueKeyIn = (file: string) => ({
  file,
  name: 'key of the queues',
  loss: 'jobs and replies sealed with the old one cannot be read',
});

export const otpPepperIn = (file: string) => ({
  file,
  name: 'pepper of the OTPs',
  loss: 'OTPs that were sent under the old one cannot be verified',
});

/** Creates a secret at the first start and keeps it in a file. `onNew` gets a warning when there was none. */
export async function keptKey(
  { file, name, loss }: ReturnType<typeof queueKeyIn>,
  onNew: (warning: string) => void,
): Promise<string> {
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (Buffer.from(kept, 'base64').length === 32) return kept;
  if (kept !== '') {
    throw new StartError(
      `The ${name} in ${file} is damaged. Restore it, or delete the file to get a new one: ${loss}.`,
    );
  }
  const key = newQueueKey();
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  onNew(`The ${name} is gone from ${file}. A new one was made: ${loss}.`);
  return key;
}

function assertUsable(name: string, fault: string | undefined): void {
  if (fault) throw new StartError(`${name} ${fault}.`);
}

async function inspect(url: string): Promise<{ freeConnections: number; isNew: boolean }> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ freeConnections: number; isNew: boolean }>(`
      SELECT (current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0)
        - (SELECT sum(numbackends) FROM pg_stat_database) + 1)::int AS "freeConnections",
        to_regclass('_prisma_migrations') IS NULL AS "isNew"`);
    return rows[0] ?? { freeConnections: 0, isNew: true };
  } catch (error) {
    throw new StartError(
      `The database at ${redactUrl(url)} cannot be used (${describeError(error)}). ` +
        'Start it, correct DATABASE_URL, or unset it to use the embedded Postgres.',
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The queue connects in the background, so the first pings may fail. */
async function reachRedis(url: string): Promise<void> {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const settings = { connection: { kind: 'redis', url }, keys: [newQueueKey()] } as const;
  const queues = await Queues.open(settings, 'producer', silent);
  try {
    for (const deadline = performance.now() + redisTimeoutMs; ;) {
      const failure = await queues.ping().then(() => undefined, describeError);
      if (failure === undefined) return;
      if (performance.now() > deadline) {
        throw new StartError(
          `The Redis at ${redactUrl(url)} cannot be reached (${failure}). ` +
            'Start it, correct REDIS_URL, or unset it to keep the queues in Postgres.',
        );
      }
      await sleep(100);
    }
  } finally {
    await queues.close();
  }
}
