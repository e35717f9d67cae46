import { join } from 'node:path';
import { Database } from '@gangan/database';
import { findEmbeddedPostgres } from '@gangan/embedded-postgres';
import type { TestSystem } from '@gangan/testing';

/** The database that a system runs by itself, for those who look behind the interface. */
export const databaseOf = async (system: TestSystem): Promise<Database> =>
  new Database({ url: await databaseUrlOf(system), poolSize: 2 });

export async function databaseUrlOf(system: TestSystem): Promise<string> {
  const url = await findEmbeddedPostgres(join(system.folder, 'postgres'));
  if (url === undefined) throw new Error('The system runs no Postgres of its own');
  return url;
}
