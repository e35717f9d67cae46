import {
  type Database,
  isLockTimeout,
  retryTransient,
  type RowOf,
  type Shape,
  sql,
  sqlState,
  type Statement,
  type Statements,
  t,
} from '@gangan/database';
import { Refusal } from './refusal.js';

/** Who acts. The database adds its login to what it stores of a change. */
export interface Principal {
  readonly name: string;
}

/** What a function that changes something works with. */
export interface Access {
  readonly database: Database;
  readonly principal: Principal;
}

/** What a function of the database returns about a change: it is done, waits for an approval, or there was nothing to change. */
export const changeResult = {
  state: t.textOf<'done' | 'pending' | 'absent' | 'unchanged' | 'approved' | 'rejected'>(),
  approval: t.nullable(t.uuid),
};

/** These columns, from what the function returned as `result`. */
export const changeColumns = sql`result ->> 'state' AS state, (result ->> 'approval')::uuid AS approval`;

export type ChangeResult = RowOf<{ readonly shape: typeof changeResult }>;

const raised = 'P0001';
const insufficientPrivilege = '42501';

/**
 * Calls a function of the database that checks a change, writes the audit log, and returns one row.
 * @throws Refusal with the sentence of the function
 */
export async function callFunction<Args extends readonly unknown[], S extends Shape>(
  database: Database,
  statement: Statement<Args, S>,
  ...args: Args
): Promise<RowOf<Statement<Args, S>>> {
  const call = () => database.run(statement, ...args);
  const [row] = await retryTransient(call, { isRetryable: isLockTimeout }).catch(refuseRaised);
  if (row) return row;
  throw new Error('A function of the database returned nothing');
}

/**
 * Runs `work` in a transaction that needs the owner of the tables.
 * @throws Refusal that names it if the database was opened as another user
 */
export const asOwner = <T>(database: Database, work: (transaction: Statements) => Promise<T>): Promise<T> =>
  database.transaction(work).catch((cause: unknown) => {
    if (sqlState(cause) !== insufficientPrivilege) return refuseRaised(cause);
    throw new Refusal(
      'forbidden',
      'This command needs the owner of the tables: set DATABASE_URL to it. To add or remove operators, the owner also needs CREATEROLE (docs/operate/operations.md#operators).',
      { cause },
    );
  });

function refuseRaised(cause: unknown): never {
  if (sqlState(cause) !== raised) throw cause;
  throw new Refusal('conflict', (cause as Error).message, { cause });
}
