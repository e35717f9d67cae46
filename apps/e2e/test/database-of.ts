import { join } from 'node:path';
import { Database } from '@gangan/database';
import { findEmbeddedPostgres } from '@gangan/embedded-postgres';
import type { World } from '@gangan/testing';

/** The database that a system runs by itself, for those who look behind the interface. */
export const databaseOf = async (world: World): Promise<Database> =>
  new Database({ url: await databaseUrlOf(world), poolSize: 2 });

export async function databaseUrlOf(world: World): Promise<string> {
  const url = await findEmbeddedPostgres(join(world.folder, 'postgres'));
  if (url === undefined) throw new Error('The system runs no Postgres of its own');
  return url;
}
