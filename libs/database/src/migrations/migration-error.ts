import { describeError, redactUrl } from '@gangan/protocol';
import type { Migration } from './migration-files.js';

/** The message says in a sentence what is wrong with the schema, and what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';

  static failed({ name, checksum }: Pick<Migration, 'name' | 'checksum'>, error: unknown): MigrationError {
    const reason = describeError(error).replace(/\.$/, '');
    const hint = reason.includes('already exists')
      ? ` If it exists because an earlier run was cut off at its very end, record that: INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) VALUES (gen_random_uuid(), '${checksum}', '${name}', now(), 1).`
      : '';
    const message = `Migration ${name} failed and was rolled back: ${reason}. Correct the cause and migrate again.${hint}`;
    return new MigrationError(message, { cause: error });
  }

  /** @param blocker a sentence about what probably holds the lock */
  static locked({ name }: Pick<Migration, 'name'>, blocker: string, cause: unknown): MigrationError {
    return new MigrationError(
      `Migration ${name} did not get a lock on a table in use; nothing was changed. ${blocker} End it (SELECT pg_terminate_backend(pid)) or wait for its end, then migrate again.`,
      { cause },
    );
  }

  /** @param names of migrations that were applied, and that no released version has; at least one */
  static replaced(names: readonly string[]): MigrationError {
    const others = names.length > 1 ? ` and ${names.length - 1} more` : '';
    return new MigrationError(
      `The database was migrated by a build between two releases: this version does not have its migration ${names[0]}${others}. Nothing was changed. Drop the database and migrate an empty one (with \`pnpm start\`: delete its data folder), or restore a backup of a released version.`,
    );
  }

  /** A database that cannot be used at all. The URL is shown without its password. */
  static unusable(url: string, error: unknown): MigrationError {
    const { code = '' } = Object(error) as { code?: string };
    const reason = advice[code] ?? describeError(error);
    return new MigrationError(`Cannot use the database at ${redactUrl(url)}: ${reason}.`, { cause: error });
  }
}

const advice: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there; start Postgres or correct DATABASE_URL',
  ENOTFOUND: 'there is no such host; correct DATABASE_URL',
  ERR_INVALID_URL: 'it is not a URL; correct DATABASE_URL',
  ETIMEDOUT: 'it does not answer; check the network and DATABASE_URL',
  '3D000': 'there is no such database; create it',
  '28P01': 'the password is wrong; correct DATABASE_URL',
  '28000': 'it does not accept this user; correct DATABASE_URL',
  '42501': 'this user may not change the schema; use the owner of the database',
};
