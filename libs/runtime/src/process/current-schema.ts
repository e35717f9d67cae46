import { setTimeout as pause } from 'node:timers/promises';
import { pendingMigrations } from '@gangan/database';
import { withTimeout, describeError } from '@gangan/protocol';
import type { AppLogger } from '../logging/app-logger.js';
import { StartupError } from './startup-error.js';

const answerLimitMs = 10_000;
const longestPauseMs = 5_000;

/** Waits for the database, for ever, and refuses one that lacks a migration. */
export async function currentSchema(databaseUrl: string, logger: AppLogger): Promise<void> {
  for (let pauseMs = 250; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const pending = await withTimeout(answerLimitMs, pendingMigrations(databaseUrl)).catch(
      (error: unknown) => {
        logger.warn({ reason: describeError(error) }, 'waiting for the database');
        return undefined;
      },
    );
    if (pending === undefined) await pause(pauseMs);
    else if (pending.length === 0) return;
    else throw new StartupError(`The database lacks ${listed(pending)}: run pnpm migrate, then start again`);
  }
}

const listed = (pending: readonly string[]): string =>
  `${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} (${pending.join(', ')})`;
