import { databaseUrlFault, migrate, seedDemo } from '@gangan/database';
import { describeError, redactUrl } from '@gangan/protocol';
import { migrateQueue, newQueueKey, Queues, redisUrlFault } from '@gangan/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { keptKey, otpPepperIn, queueKeyIn } from './kept-key.js';
import { StartError } from './settings.js';

const redisTimeoutMs = 5_000;

export interface Order {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly queueKey: string | undefined;
  readonly queueKeyFile: string;
  readonly otpPepper: string | undefined;
  readonly otpPepperFile: string;
  readonly seed: boolean;
}

export interface Prepared {
  readonly queueKey: string;
  readonly otpPepper: string;
  readonly demoKey: string | undefined;
  readonly freeConnections: number;
}

/** Prepares database and queue for the apps. */
export async function prepareStore(order: Order, say: (line: string) => void): Promise<Prepared> {
  const { databaseUrl, redisUrl } = order;
  assertUsable('DATABASE_URL', databaseUrlFault(databaseUrl));
  assertUsable('REDIS_URL', redisUrl && redisUrlFault(redisUrl));
  const { freeConnections, isNew } = await inspect(databaseUrl);
  // Nothing in a new database depends on an earlier key.
  const onNewKey = isNew ? () => undefined : say;
  const queueKey = order.queueKey ?? (await keptKey(queueKeyIn(order.queueKeyFile), onNewKey));
  const otpPepper = order.otpPepper ?? (await keptKey(otpPepperIn(order.otpPepperFile), onNewKey));
  const applied = await migrate(databaseUrl);
  if (applied.length > 0) say(`Migrated the database (${applied.length} new)`);
  if (redisUrl === undefined) await migrateQueue(databaseUrl);
  else await reachRedis(redisUrl);
  const demoKey = order.seed ? (await seedDemo(databaseUrl)).apiKey : undefined;
  return { queueKey, otpPepper, demoKey, freeConnections };
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
