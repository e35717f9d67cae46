import { migrate, seedDemo } from '@gangan/database';
import { migrateQueue, newQueueKey, Queues } from '@gangan/queue';
import { readFile, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { codeOf } from './error-code.js';
import { explain } from './explain.js';
import type { Order, Prepared } from './preparation.js';
import { placeOf } from './place-of.js';
import { StartError } from './start-error.js';

/** Brings database and queue to the state in which the apps can work with them. */
export async function prepareStore(order: Order, say: (line: string) => void): Promise<Prepared> {
  const freeConnections = await countFreeConnections(order.databaseUrl);
  const queueKey = order.queueKey ?? (await keptKey(order.queueKeyFile));
  const applied = await migrate(order.databaseUrl);
  if (applied.length > 0) say(`Migrated the database (${applied.length} new)`);
  if (order.redisUrl === undefined) await migrateQueue(order.databaseUrl);
  else await reachRedis(order.redisUrl, queueKey);
  const demoKey = order.seed ? (await seedDemo(order.databaseUrl)).apiKey : undefined;
  return { queueKey, demoKey, freeConnections };
}

/** What is left of the server's limit for an ordinary user, now. */
async function countFreeConnections(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ free: number }>(`
      SELECT (current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0)
        - (SELECT sum(numbackends) FROM pg_stat_database) + 1)::int AS free`);
    return rows[0]?.free ?? 0;
  } catch (error) {
    throw new StartError(
      `The database at ${placeOf(url)} cannot be used (${explain(error)}). Start it or correct DATABASE_URL; ` +
        'without DATABASE_URL a Postgres of our own is started.',
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Made once: what was sealed before a restart must be opened after it. */
async function keptKey(file: string): Promise<string> {
  try {
    await writeFile(file, `${newQueueKey()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  return (await readFile(file, 'utf8')).trim();
}

async function reachRedis(url: string, key: string): Promise<void> {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const queues = await Queues.open({ connection: { kind: 'redis', url }, keys: [key] }, 'producer', silent);
  try {
    await queues.ping();
  } catch (error) {
    throw new StartError(
      `The Redis at ${placeOf(url)} cannot be reached (${explain(error)}). Start it or correct REDIS_URL; ` +
        'without REDIS_URL the queues live in Postgres.',
      { cause: error },
    );
  } finally {
    await queues.close();
  }
}
