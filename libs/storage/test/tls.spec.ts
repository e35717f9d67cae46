import { startPostgres, startTlsPostgres, type TlsPostgres, verifyFull } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, pendingMigrations, sql, statement, t } from '@gangan/database';
import { migrate } from '../src/index.js';

const isEncrypted = statement(
  { ssl: t.bool },
  () => sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`,
);

describe('a DATABASE_URL with sslmode=verify-full', () => {
  let postgres: TlsPostgres;
  beforeAll(async () => {
    postgres = await startTlsPostgres();
  });
  afterAll(() => postgres.stop());

  const connect = async (url: string): Promise<void> => {
    const database = new Database({ url, poolSize: 1 });
    try {
      await database.ping();
    } finally {
      await database.close();
    }
  };

  it('encrypts migrations, statements and Prisma models', async () => {
    await migrate(postgres.verifiedUrl);
    expect(await pendingMigrations(postgres.verifiedUrl)).toEqual([]);
    const database = new Database({ url: postgres.verifiedUrl, poolSize: 2 });
    try {
      expect(await database.run(isEncrypted)).toEqual([{ ssl: true }]);
      expect(await database.$queryRaw`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`).toEqual([
        { ssl: true },
      ]);
      expect(await database.organisation.count()).toBe(0);
    } finally {
      await database.close();
    }
  });

  it('refuses a certificate for another host', async () => {
    await expect(connect(postgres.wrongHostUrl)).rejects.toThrow(/does not match certificate/);
    await expect(pendingMigrations(postgres.wrongHostUrl)).rejects.toThrow(/does not match certificate/);
  });

  it('refuses a certificate of another authority', async () => {
    await expect(connect(postgres.wrongAuthorityUrl)).rejects.toThrow(/certificate/);
  });

  it('refuses a server without TLS', async () => {
    const plain = await startPostgres();
    const authority = new URL(postgres.verifiedUrl).searchParams.get('sslrootcert') ?? '';
    await expect(connect(verifyFull(plain.url, 'localhost', authority))).rejects.toThrow(
      /does not support SSL/,
    );
    await plain.stop();
  });
});
