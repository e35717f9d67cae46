import { runSql, serverFolder, startPostgres } from '@gangan/testing';
import { migrateQueue, queueGrants } from '../../src/index.js';
import type { Broker } from './broker.js';

export async function startPostgresBroker(): Promise<Broker> {
  const postgres = await startPostgres({}, serverFolder());
  await migrateQueue(postgres.url);
  const url = await createUser(postgres.url);
  return {
    connection: { kind: 'postgres', url, poolSize: 8 },
    outage: {
      begin: async () => {
        // Commits of the queue do not wait for the disk, so a crash may lose the last jobs. Here they must survive it.
        await runSql(postgres.url, 'CHECKPOINT');
        await postgres.kill();
      },
      end: () => postgres.restart(),
    },
    stop: () => postgres.stop(),
    dump: () => dumpQueueTables(postgres.url),
  };
}

/** A user with no privileges but those of an app on the queue. */
async function createUser(url: string): Promise<string> {
  await runSql(url, [`CREATE ROLE app LOGIN PASSWORD 'app';`, ...queueGrants('app')].join('\n'));
  const own = new URL(url);
  own.username = own.password = 'app';
  return own.href;
}

async function dumpQueueTables(url: string): Promise<string> {
  const tables = await runSql<{ name: string }>(
    url,
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq'`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await runSql<{ row: string }>(url, `SELECT t::text AS row FROM ${name} AS t`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}
