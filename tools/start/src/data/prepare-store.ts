import { allContracts } from '@gangan/contracts';
import { Database, databaseUrlFault, readSpendLimits, storeSpendLimits } from '@gangan/database';
import { type AppName, describeError, redactUrl } from '@gangan/protocol';
import {
  callbackSecrets,
  createAppLogins,
  grantRoles,
  migrate,
  perApp,
  reseal,
  seedDemo,
} from '@gangan/storage';
import { withClient } from '@gangan/embedded-postgres';
import { deriveQueueKeys, migrateQueue, QueueAdmin, queueGrants, redisUrlFault } from '@gangan/queue';
import { deriveDataKeys, masterSealer, splitKeys } from '@gangan/sealing';
import { randomBytes } from 'node:crypto';
import { readEarlierQueueKey } from './earlier-queue-key.js';
import { backupKeyIn, dataMasterKeyIn, otpPepperIn, queueMasterKeyIn, readOrCreateKey } from './kept-keys.js';
import { type Settings, StartError } from '../settings.js';

export type Order = Pick<
  Settings,
  | 'dataDir'
  | 'redisUrl'
  | 'queueMasterKey'
  | 'earlierQueueKey'
  | 'dataMasterKey'
  | 'otpPepper'
  | 'hasBackupKey'
  | 'seedsDemo'
> & {
  readonly databaseUrl: string;
  /** Whether the database is the embedded one, in which this command creates the users of the apps. */
  readonly embedded: boolean;
};
type Say = (line: string) => void;
export type Prepared = Awaited<ReturnType<typeof prepareStore>>;

/** Prepares database and queue for the apps, with the limits of spending of the environment. */
export async function prepareStore(order: Order, say: Say, environment: NodeJS.ProcessEnv = {}) {
  const limits = readSpendLimits(environment);
  const { databaseUrl, redisUrl, dataDir } = order;
  const faults = {
    DATABASE_URL: databaseUrlFault(databaseUrl),
    REDIS_URL: redisUrl && redisUrlFault(redisUrl),
  };
  for (const [name, fault] of Object.entries(faults)) if (fault) throw new StartError(`${name} ${fault}.`);
  const { freeConnections, isNew } = await inspect(databaseUrl);
  // Nothing in a new database depends on an earlier key.
  const onNewKey = isNew ? () => undefined : say;
  const queueKeys = await deriveKeys(order, onNewKey);
  const earlierQueueKey = order.earlierQueueKey ?? (await readEarlierQueueKey(dataDir, say));
  const otpPepper = order.otpPepper ?? (await readOrCreateKey(otpPepperIn(dataDir), onNewKey));
  if (order.embedded && !order.hasBackupKey) await readOrCreateKey(backupKeyIn(dataDir), onNewKey);
  const applied = await migrate(databaseUrl);
  if (applied.length > 0) say(`Migrated the database (${applied.length} new)`);
  await storeSpendLimits(databaseUrl, limits);
  if (redisUrl === undefined) await migrateQueue(databaseUrl);
  else await assertReachable(redisUrl);
  const databaseUrls = await openRoles(order, say);
  const { sealer, ...secrets } = await prepareSecrets(order, say);
  const demoKey = order.seedsDemo ? (await seedDemo(databaseUrl, sealer)).apiKey : undefined;
  return { databaseUrls, queueKeys, earlierQueueKey, ...secrets, otpPepper, demoKey, freeConnections };
}

/** The queue keys of each app, derived from the master key, which no app gets. */
async function deriveKeys(
  { queueMasterKey, dataDir }: Order,
  onNew: Say,
): Promise<Readonly<Record<AppName, string>>> {
  const masters = splitKeys(queueMasterKey ?? (await readOrCreateKey(queueMasterKeyIn(dataDir), onNew)));
  return orRefuse(() => perApp((app) => deriveQueueKeys(masters, app, allContracts)));
}

function orRefuse<T>(derive: () => T): T {
  try {
    return derive();
  } catch (cause) {
    throw new StartError(`${describeError(cause)}.`, { cause });
  }
}

/** The URL of the database for each app: in the embedded database each has its own user, elsewhere the given one. */
async function openRoles(
  { databaseUrl, redisUrl, embedded }: Order,
  say: Say,
): Promise<Readonly<Record<AppName, string>>> {
  const roles = await grantRoles(databaseUrl, redisUrl === undefined ? queueGrants : undefined);
  if (!roles.granted) say('The roles of the apps could not be created; pnpm migrate prints the SQL');
  if (!embedded) return perApp(() => databaseUrl);
  return createAppLogins(
    databaseUrl,
    perApp(() => randomBytes(24).toString('base64url')),
  );
}

/** Makes the master key of the stored secrets at the first start, and seals secrets that an earlier version stored in plain text. */
async function prepareSecrets({ databaseUrl: url, embedded, dataMasterKey, dataDir }: Order, say: Say) {
  const database = new Database({ url, poolSize: 1, name: 'gangan start' });
  try {
    const sealed = await database.callbackSecret.count({ where: { NOT: { sealedSecret: null } } });
    // If nothing is sealed, nothing depends on a lost key.
    const onNewKey = sealed > 0 ? say : () => undefined;
    const masters = splitKeys(dataMasterKey ?? (await readOrCreateKey(dataMasterKeyIn(dataDir), onNewKey)));
    const sealer = orRefuse(() => masterSealer(masters));
    // With another database, apps of an earlier version may still run, and could not read sealed secrets.
    if (embedded) await reseal(database, sealer, callbackSecrets);
    return { sealer, dataKeys: perApp((app) => deriveDataKeys(masters, app)) };
  } finally {
    await database.close();
  }
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
