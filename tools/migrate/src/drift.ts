import { migrate, schemaDrift } from '@gangan/database';
import { startPostgres } from '@gangan/testing';

/** The SQL by which prisma/schema.prisma and its models differ from what the migrations make, on a fresh server. */
export async function driftOfMigrations(): Promise<string> {
  const postgres = await startPostgres();
  try {
    await migrate(postgres.url);
    return await schemaDrift(postgres.url);
  } finally {
    await postgres.stop();
  }
}
