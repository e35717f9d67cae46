import { type Database, sql, type Statements } from '@gangan/database';

/** Columns, smartlists and exports of a table are changed by one at a time; rows are written meanwhile. */
export const changeStructure = <T>(
  database: Database,
  tableId: string,
  work: (transaction: Statements) => Promise<T>,
): Promise<T> =>
  database.transaction(async (transaction) => {
    await transaction.query(sql`SELECT id FROM contact_table WHERE id = ${tableId} FOR NO KEY UPDATE`);
    return work(transaction);
  });
