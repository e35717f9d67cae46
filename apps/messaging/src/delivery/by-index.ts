import { type Database, sql, type Statements } from '@gangan/database';

/**
 * A transaction whose statements look rows up by index only. A connection keeps a statement's plan, and may have made
 * it while the table was small enough to be read whole: once it has grown, each chunk would cost a reading of it.
 */
export const byIndex = <T>(database: Database, work: (transaction: Statements) => Promise<T>): Promise<T> =>
  database.transaction(async (transaction) => {
    await transaction.query(sql`
      SELECT set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true)`);
    return work(transaction);
  });
