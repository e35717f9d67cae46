import pg from 'pg';
import { MigrationError } from '@gangan/database';
import { BackupError } from './backup-error.js';

/** The text of values must not depend on the settings of the server, and no time limit of it applies. */
const settings = [
  `SET client_encoding = 'UTF8'`,
  `SET datestyle = 'ISO'`,
  `SET intervalstyle = 'iso_8601'`,
  `SET timezone = 'UTC'`,
  'SET extra_float_digits = 3',
  'SET row_security = off',
  'SET statement_timeout = 0',
  'SET lock_timeout = 0',
  'SET idle_in_transaction_session_timeout = 0',
  'SET transaction_timeout = 0',
].join('; ');

/** Runs `work` with a connection of its own, as the owner of the tables. */
export async function withBackupClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  let client: pg.Client;
  try {
    client = new pg.Client({
      connectionString: url,
      keepAlive: true,
      application_name: 'gangan backup',
      connectionTimeoutMillis: 10_000,
    });
    // Without a listener, a connection that breaks between two queries would end the process.
    client.on('error', () => undefined);
    await client.connect();
  } catch (error) {
    throw MigrationError.unusable(url, error);
  }
  try {
    await client.query(settings);
    return await work(client);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== '42501') throw error;
    throw new BackupError(`${message}: set DATABASE_URL to the owner of the tables.`, { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}
