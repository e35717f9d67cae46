import { type Statements, sqlState } from '@gangan/database';
import { CommandError } from './errors.js';
import type { AdminSession } from './session.js';

const insufficientPrivilege = '42501';

/**
 * Runs `work` in a transaction that needs the owner of the tables.
 * @throws CommandError that names it if DATABASE_URL is another user
 */
export async function asOwner<T>(
  session: AdminSession,
  work: (transaction: Statements) => Promise<T>,
): Promise<T> {
  await session.nameTarget();
  const database = await session.database();
  try {
    return await database.transaction(work);
  } catch (cause) {
    if (sqlState(cause) !== insufficientPrivilege) throw cause;
    throw new CommandError(
      'This command needs the owner of the tables: set DATABASE_URL to it. To add or remove operators, the owner also needs CREATEROLE (docs/operate/operations.md#operators).',
      { cause },
    );
  }
}
