import { runMigrations } from 'bullmq';
import pg from 'pg';
import { makeBucketTable } from '../../limits/postgres-bucket-store.js';
import { QUEUE_SCHEMA } from './queue-pool.js';

/** Creates or updates BullMQ's own tables, and the one of the rate limits beside them; several processes may try at once. */
export async function migrateQueue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await runMigrations(client, QUEUE_SCHEMA);
    await makeBucketTable(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
}
