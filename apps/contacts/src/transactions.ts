import {
  type Database,
  type Prisma,
  sql,
  sqlState,
  statement,
  type Statements,
  t,
  unavailableWhenAway,
} from '@gangan/database';
import { nameTaken } from './contacts.errors.js';

/** The SQLSTATE of a statement that exceeded its timeout. */
export const queryCanceled = '57014';
export const uniqueViolation = '23505';

/** For work that only reads: if the connection breaks, the caller may simply retry. */
export async function readOnly<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw unavailableWhenAway(error) as Error;
  }
}

const currentSnapshot = statement(
  { snapshot: t.text },
  () => sql`SELECT pg_current_snapshot()::text AS snapshot`,
);

/** Everything that `work` reads is of one moment. Later reads use the snapshot to ignore rows added since. */
export const inSnapshot = <T>(
  database: Database,
  work: (transaction: Statements, snapshot: string) => Promise<T>,
): Promise<T> =>
  database.transaction(
    async (transaction) => {
      const [now] = await transaction.run(currentSnapshot);
      return work(transaction, now?.snapshot ?? '');
    },
    ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ'],
  );

/** Serialises changes to columns, smartlists, imports and exports of a table. Rows can be written meanwhile. */
export const lockTable = statement(
  { id: t.uuid },
  (tableId: string) => sql`SELECT id FROM contact_table WHERE id = ${tableId}::uuid FOR NO KEY UPDATE`,
);

/** Changes a column or a smartlist, one change of a table at a time. @throws AppError 400 if its name is taken */
export async function changeStructure<T>(
  database: Database,
  tableId: string,
  what: 'column' | 'smartlist',
  work: (transaction: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  try {
    return await database.$transaction(async (transaction) => {
      await transaction.$queryRaw(lockTable.build(tableId));
      return work(transaction);
    });
  } catch (error) {
    throw sqlState(error) === uniqueViolation ? nameTaken(what) : (error as Error);
  }
}
