import { type Database, sql, type Statements } from '@gangan/database';

/** All that `work` reads is of one moment, which the snapshot tells others of later. */
export const atOneMoment = <T>(
  database: Database,
  work: (transaction: Statements, snapshot: string) => Promise<T>,
): Promise<T> =>
  database.transaction(
    async (transaction) => {
      const [now] = await transaction.query<{ snapshot: string }>(
        sql`SELECT pg_current_snapshot()::text AS snapshot`,
      );
      return work(transaction, now?.snapshot ?? '');
    },
    ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ'],
  );
