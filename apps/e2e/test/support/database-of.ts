import { join } from 'node:path';
import { Database } from '@gangan/database';
import { findEmbeddedPostgres } from '@gangan/embedded-postgres';
import type { ReachableSystem } from '@gangan/testing';

/** The embedded database of a system, for tests that inspect its tables. Many may wait for one of its connections. */
export const databaseOf = async (system: ReachableSystem): Promise<Database> =>
  new Database({ url: await databaseUrlOf(system), poolSize: 2, connectionTimeoutMs: 60_000 });

export async function databaseUrlOf(system: ReachableSystem): Promise<string> {
  const url = await findEmbeddedPostgres(join(system.folder, 'postgres'));
  if (url === undefined) throw new Error('The system does not run its own Postgres');
  return url;
}
