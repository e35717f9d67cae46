import type { Database, Statements } from '@gangan/database';

const opening = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'].map(
  (way) => `SET LOCAL ${way} = off`,
);

/**
 * A transaction whose statements look rows up by index only. A connection keeps a statement's plan, and may have made
 * it while the table was small enough to be read whole: once it has grown, each chunk would cost a reading of it.
 */
export const byIndex = <T>(database: Database, work: (transaction: Statements) => Promise<T>): Promise<T> =>
  database.transaction(work, opening);
