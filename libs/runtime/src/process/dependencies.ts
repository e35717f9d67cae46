import { setTimeout as pause } from 'node:timers/promises';
import {
  differingSpendLimits,
  MigrationError,
  pendingMigrations,
  type SpendLimits,
  spendLimitVariables,
} from '@gangan/database';
import { describeError, withTimeout } from '@gangan/protocol';
import { type QueueConnection, type QueueRole, Queues, type QueueTuning } from '@gangan/queue';
import type { RuntimeConfig } from '../config/runtime-config.js';
import type { AppLogger } from '../logging/logger.js';
import { measureDepth, observeQueue } from '../metrics/queue-metrics.js';
import type { Launch } from './host-process.js';
import { StartupError } from './supervisor.js';

const databaseTimeoutMs = 10_000;
const firstDelayMs = 250;
const maxDelayMs = 5_000;

/**
 * Waits until the database is reachable, without a time limit.
 * @throws StartupError if it lacks a migration, or the server is too old
 */
export async function waitForSchema(databaseUrl: string, logger: AppLogger): Promise<void> {
  for (let delayMs = firstDelayMs; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    const pending = await withTimeout(databaseTimeoutMs, pendingMigrations(databaseUrl)).catch(
      (error: unknown) => {
        if (error instanceof MigrationError) throw new StartupError(error.message);
        logger.warn({ reason: describeError(error) }, 'waiting for the database');
        return undefined;
      },
    );
    if (pending?.length === 0) return;
    if (pending) {
      const count = pending.length === 1 ? 'a migration' : `${pending.length} migrations`;
      throw new StartupError(
        `The database lacks ${count} (${pending.join(', ')}): run pnpm migrate, then start again`,
      );
    }
    await pause(delayMs);
  }
}

/**
 * Compares the limits of spending that are set for this app with those that the money functions read.
 * @throws StartupError if one differs: the variable of this app would have no effect
 */
export async function requireSpendLimits({ config, configs, specs }: Launch): Promise<void> {
  const values = Object.assign({}, ...specs.map((spec) => configs.of(spec))) as SpendLimits;
  const given = spendLimitVariables.flatMap((name) =>
    values[name] === undefined ? [] : [[name, values[name]]],
  );
  const differing = await differingSpendLimits(config.DATABASE_URL, Object.fromEntries(given) as SpendLimits);
  if (differing.length === 0) return;
  throw new StartupError(
    `${differing.join(' ')} Run pnpm migrate with the value that is to apply, and set the same value for this app, or none.`,
  );
}

/** Opens the queues in Redis if one is configured, otherwise in the database; with metrics and a shutdown. */
export async function openQueues(
  role: QueueRole,
  { name: app, config, logger, metrics, shutdown }: Launch,
  tuning: Partial<QueueTuning> = {},
): Promise<Queues> {
  const { QUEUE_KEYS: keys } = config;
  const settings = { connection: connectionOf(config), app, keys, tuning };
  const queues = await Queues.open(settings, role, logger, observeQueue(metrics));
  shutdown.closes('the queues', async () => {
    await queues.client.close();
    await queues.close();
  });
  measureDepth(metrics, () => queues.depths());
  return queues;
}

const connectionOf = ({ REDIS_URL, DATABASE_URL, QUEUE_POOL_SIZE }: RuntimeConfig): QueueConnection =>
  REDIS_URL === undefined
    ? { kind: 'postgres', url: DATABASE_URL, poolSize: QUEUE_POOL_SIZE }
    : { kind: 'redis', url: REDIS_URL };
