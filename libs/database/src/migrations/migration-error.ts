import { describeError } from '@gangan/protocol';

/** Says in one sentence what went wrong with the schema, and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';

  static because(error: unknown, migration: string | undefined): MigrationError {
    return new MigrationError(sentence(error, migration), { cause: error });
  }
}

const notEmpty = 'P3005';

function sentence(error: unknown, migration: string | undefined): string {
  const reason = reasonOf(error);
  if (migration !== undefined) {
    const already = /already exists/.test(reason)
      ? ` If it is there because an earlier run was cut off at its very end, record that: UPDATE _prisma_migrations SET finished_at = now(), rolled_back_at = NULL WHERE migration_name = '${migration}'.`
      : '';
    return `Migration ${migration} failed and was undone: ${reason}. Correct its cause and migrate again.${already}`;
  }
  if (error instanceof Error && 'code' in error && error.code === notEmpty) {
    return 'The database holds tables of somebody else and no history of ours. Give us a database of our own: create an empty one and name it in DATABASE_URL.';
  }
  return `The database could not be migrated: ${reason}.`;
}

/** The engine's message carries its own stack; the line that says what happened is the last before that. */
function reasonOf(error: unknown): string {
  const lines = describeError(error).split('\n');
  const said = lines.slice(
    0,
    Math.max(
      lines.findIndex((line) => /^\s+\d+: /.test(line)),
      0,
    ) || lines.length,
  );
  const last = said.filter((line) => line.trim() !== '').at(-1) ?? 'unknown reason';
  return last
    .replace(/^Error querying the database: /, '')
    .replace(/^ERROR: /, '')
    .replace(/\.$/, '');
}
