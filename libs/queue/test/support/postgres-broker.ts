import { startPostgres } from '@gangan/testing';
import pg from 'pg';
import { migrateQueue } from '../../src/index.js';
import type { Broker } from './broker.js';

export async function startPostgresBroker(): Promise<Broker> {
  const postgres = await startPostgres();
  await migrateQueue(postgres.url);
  return {
    connection: { kind: 'postgres', url: postgres.url, poolSize: 8 },
    outage: { begin: () => postgres.kill(), end: () => postgres.restart() },
    stop: () => postgres.stop(),
    dump: () => dumpQueueTables(postgres.url),
  };
}

async function dumpQueueTables(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq'`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} AS t`);
      texts.push(...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}
