import {
  type Database,
  lockRetries,
  retryTransient,
  type SqlRunner,
  type Statements,
} from '@gangan/database';

const indexOnly = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'].map(
  (method) => `SET LOCAL ${method} = off`,
);

/**
 * A transaction whose statements look rows up by index only. A connection keeps the plan of a prepared statement, and may
 * have made it while the table was small; without this, each chunk would later scan the whole table.
 */
export const transactionByIndex = <T>(
  database: Database,
  work: (transaction: Statements) => Promise<T>,
): Promise<T> => database.transaction(work, indexOnly);

/** Runs single statements, each in such a transaction. */
export const byIndex = (database: Database): SqlRunner => ({
  run: ((...call: Parameters<SqlRunner['run']>) =>
    transactionByIndex(database, (transaction) => transaction.run(...call))) as SqlRunner['run'],
});

/** Each attempt waits for the lock for 200 ms; with the delays, about three seconds in all. */
const walletRetries = { ...lockRetries, maxAttempts: 10, delayMs: () => 50 + 100 * Math.random() };

/** A batch waits for a wallet only briefly. The request of the wallet's own organisation retries longer. */
export const retryWhileWalletLocked = <T>(attempt: () => Promise<T>): Promise<T> =>
  retryTransient(attempt, walletRetries);
