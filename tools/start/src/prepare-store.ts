import { databaseUrlFault, migrate, seedDemo } from '@gangan/database';
import { redactUrl, describeError } from '@gangan/protocol';
import { migrateQueue, newQueueKey, Queues, redisUrlFault } from '@gangan/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Order, Prepared } from './preparation.js';
import { keptKey, otpPepperIn, queueKeyIn } from './kept-key.js';
import { StartError } from './start-error.js';

const redisWithinMs = 5_000;

/** Brings database and queue to the state in which the apps can work with them. */
export async function prepareStore(order: Order, say: (line: string) => void): Promise<Prepared> {
  refuseUnusable('DATABASE_URL', databaseUrlFault(order.databaseUrl));
  refuseUnusable('REDIS_URL', order.redisUrl && redisUrlFault(order.redisUrl));
  const { freeConnections, isNew } = await survey(order.databaseUrl);
  // Without data from before, nothing was sealed with another key.
  const madeAnew = isNew ? () => undefined : say;
  const queueKey = order.queueKey ?? (await keptKey(queueKeyIn(order.queueKeyFile), madeAnew));
  const otpPepper = order.otpPepper ?? (await keptKey(otpPepperIn(order.otpPepperFile), madeAnew));
  const applied = await migrate(order.databaseUrl);
  if (applied.length > 0) say(`Migrated the database (${applied.length} new)`);
  if (order.redisUrl === undefined) await migrateQueue(order.databaseUrl);
  else await reachRedis(order.redisUrl);
  const demoKey = order.seed ? (await seedDemo(order.databaseUrl)).apiKey : undefined;
  return { queueKey, otpPepper, demoKey, freeConnections };
}

/** As the apps would say it: what cannot be read is never tried, nor shown. */
function refuseUnusable(name: string, fault: string | undefined): void {
  if (fault) throw new StartError(`${name} ${fault}.`);
}

interface Survey {
  /** What is left of the server's limit for an ordinary user, now. */
  readonly freeConnections: number;
  /** It was never migrated. */
  readonly isNew: boolean;
}

async function survey(url: string): Promise<Survey> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<Survey>(`
      SELECT (current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0)
        - (SELECT sum(numbackends) FROM pg_stat_database) + 1)::int AS "freeConnections",
        to_regclass('_prisma_migrations') IS NULL AS "isNew"`);
    return rows[0] ?? { freeConnections: 0, isNew: true };
  } catch (error) {
    throw new StartError(
      `The database at ${redactUrl(url)} cannot be used (${describeError(error)}). Start it or correct DATABASE_URL; ` +
        'without DATABASE_URL a Postgres of our own is started.',
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A connection is made in the background, so the first answers may come too early. */
async function reachRedis(url: string): Promise<void> {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const settings = { connection: { kind: 'redis', url }, keys: [newQueueKey()] } as const;
  const queues = await Queues.open(settings, 'producer', silent);
  const deadline = performance.now() + redisWithinMs;
  try {
    for (;;) {
      const failure = await queues.ping().then(
        () => undefined,
        (error: unknown) => describeError(error),
      );
      if (failure === undefined) return;
      if (performance.now() > deadline) {
        throw new StartError(
          `The Redis at ${redactUrl(url)} cannot be reached (${failure}). Start it or correct REDIS_URL; ` +
            'without REDIS_URL the queues live in Postgres.',
        );
      }
      await sleep(100);
    }
  } finally {
    await queues.close();
  }
}
