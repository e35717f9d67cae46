import { type Database, sql, type Statements, unknownWhenLost } from '@gangan/database';

/** Columns and smartlists of a table are changed by one at a time; rows are written meanwhile. */
export async function changeStructure<T>(
  database: Database,
  tableId: string,
  work: (transaction: Statements) => Promise<T>,
): Promise<T> {
  try {
    return await database.transaction(async (transaction) => {
      await transaction.query(sql`SELECT id FROM contact_table WHERE id = ${tableId} FOR NO KEY UPDATE`);
      return work(transaction);
    });
  } catch (error) {
    throw unknownWhenLost(error) as Error;
  }
}
