import { startTlsPostgres, type TlsPostgres } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { firstValueFrom } from 'rxjs';
import { migrateQueue, MasterKeys, newQueueKey, Queues } from '../src/index.js';
import * as oracle from './support/contracts.js';
import { LogBook, System } from './support/system.js';

describe('the transport on a Postgres with sslmode=verify-full', () => {
  let postgres: TlsPostgres;
  beforeAll(async () => {
    postgres = await startTlsPostgres();
    await migrateQueue(postgres.verifiedUrl);
  });
  afterAll(() => postgres.stop());

  it('encrypts every connection: of the pool, of the lanes and of the replies', async () => {
    const system = new System({ kind: 'postgres', url: postgres.verifiedUrl, poolSize: 8 });
    await system.worker();
    const { client } = await system.gateway();
    expect(await firstValueFrom(client.send(oracle.askValue, { text: 'a' }))).toEqual({ text: 'a!' });
    expect(await encryptedConnections(postgres.url)).toEqual({ all: true });
    await system.close();
  });

  it.each(['wrongHostUrl', 'wrongAuthorityUrl'] as const)('refuses the server of %s', async (url) => {
    await expect(migrateQueue(postgres[url])).rejects.toThrow(/certificate/);
    const connection = { kind: 'postgres', url: postgres[url], poolSize: 3 } as const;
    const queues = await Queues.open(
      { connection, app: 'gateway', keys: new MasterKeys([newQueueKey()]) },
      'producer',
      new LogBook(),
    );
    await expect(queues.ping()).rejects.toThrow(/certificate/);
    await queues.client.close();
    await queues.close();
  });
});

async function encryptedConnections(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT bool_and(ssl) AS all FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'gangan-queue'`,
    );
    return rows[0];
  } finally {
    await client.end();
  }
}
