import { migrate, schemaDrift } from '@gangan/database';
import { startPostgres } from '@gangan/testing';

/** The SQL by which the Prisma models differ from the migrations; applies the migrations to a new database first. */
export async function driftOfMigrations(): Promise<string> {
  const postgres = await startPostgres();
  try {
    await migrate(postgres.url);
    return await schemaDrift(postgres.url);
  } finally {
    await postgres.stop();
  }
}
