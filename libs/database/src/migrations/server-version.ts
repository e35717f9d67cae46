import type pg from 'pg';
import { MigrationError } from './migration-error.js';

/** Statements use what this version has introduced, such as `RETURNING old.id`. */
const neededMajor = 18;

/** @throws MigrationError if the server is too old */
export async function requireServerVersion(connection: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await connection.query<{ major: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS major`,
  );
  const major = rows[0]?.major ?? 0;
  if (major < neededMajor)
    throw new MigrationError(
      `Postgres ${neededMajor} is needed, this is ${major}: upgrade the server, or name another one in DATABASE_URL.`,
    );
}
