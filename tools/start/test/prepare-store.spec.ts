import { Database } from '@gangan/database';
import { migrate } from '@gangan/storage';
import { newId } from '@gangan/protocol';
import { anOrganisation, createTestDatabase } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { readFile, rm } from 'node:fs/promises';
import { type Order, prepareStore } from '../src/data/prepare-store.js';
import { tempFolder } from './temp-folder.js';

describe('preparing the store', () => {
  const path = tempFolder();
  const order = (given: Partial<Order>): Order => ({
    databaseUrl: 'postgresql://gangan:secret@127.0.0.1:1/gangan',
    redisUrl: undefined,
    queueMasterKey: undefined,
    earlierQueueKey: undefined,
    dataMasterKey: undefined,
    otpPepper: undefined,
    hasBackupKey: false,
    dataDir: path(''),
    seedsDemo: false,
    embedded: false,
    ...given,
  });
  const failure = (given: Partial<Order>): Promise<string> =>
    prepareStore(order(given), () => undefined).then(
      () => 'prepared',
      (error: unknown) => (error as Error).message,
    );

  it('reports lost keys of an existing database, but no new keys of a new one', async () => {
    const postgres = await createTestDatabase();
    try {
      const said: string[] = [];
      const prepare = () => prepareStore(order({ databaseUrl: postgres.url }), (line) => said.push(line));
      const first = await prepare();
      expect(said.filter((line) => line.includes('was created'))).toEqual([]);
      await rm(path('otp.pepper'));
      const second = await prepare();
      expect(second.queueKeys).toEqual(first.queueKeys);
      expect(second.otpPepper).not.toBe(first.otpPepper);
      expect(said.filter((line) => line.includes('was created'))).toEqual([
        expect.stringMatching(
          /^A new pepper of the OTPs was created .* OTPs that were sent .* cannot be verified\.$/,
        ),
      ]);
    } finally {
      await postgres.drop();
    }
  });

  it('seals plain callback secrets of its own database, and reports a missing key of sealed ones', async () => {
    const postgres = await createTestDatabase(migrate);
    const said: string[] = [];
    const prepare = (embedded: boolean) =>
      prepareStore(order({ databaseUrl: postgres.url, embedded }), (line) => said.push(line));
    const missing = () =>
      said.filter((line) => line.startsWith('A new master key of the stored secrets was created'));
    try {
      await prepare(false);
      await rm(path('data-master.key'));
      const database = new Database({ url: postgres.url, poolSize: 1 });
      const { id: organisationId } = await anOrganisation(database);
      await database.callbackSecret.create({ data: { id: newId(), organisationId, secret: 'whsec_x' } });
      const plain = () => database.callbackSecret.count({ where: { sealedSecret: null } });
      const { dataKeys } = await prepare(false);
      expect(await plain()).toBe(1);
      expect((await prepare(true)).dataKeys).toEqual(dataKeys);
      expect(await plain()).toBe(0);
      expect(missing()).toEqual([]);
      await rm(path('data-master.key'));
      expect((await prepare(true)).dataKeys).not.toEqual(dataKeys);
      expect(missing()).toHaveLength(1);
      await database.close();
    } finally {
      await postgres.drop();
    }
  });

  it('makes a key of the backups for its own database, unless there is one in the environment', async () => {
    const postgres = await createTestDatabase();
    const key = () => readFile(path('backup.key'), 'utf8').catch(() => undefined);
    await rm(path('backup.key'), { force: true });
    try {
      const prepare = (given: Partial<Order>) =>
        prepareStore(order({ databaseUrl: postgres.url, ...given }), () => undefined);
      await prepare({ embedded: false });
      await prepare({ embedded: true, hasBackupKey: true });
      expect(await key()).toBeUndefined();
      await prepare({ embedded: true });
      const made = await key();
      expect(Buffer.from(made ?? '', 'base64')).toHaveLength(32);
      await prepare({ embedded: true });
      expect(await key()).toBe(made);
    } finally {
      await postgres.drop();
    }
  });

  it.each(['postgres//u:secret@127.0.0.1:1/x', 'host=127.0.0.1 password=secret'])(
    'refuses %s as a database with the error of the apps, without its value',
    async (databaseUrl) => {
      expect(await failure({ databaseUrl })).toBe(
        'DATABASE_URL must be a URL that starts with postgresql:// or postgres://.',
      );
    },
  );

  it('refuses a Redis that no app could use', async () => {
    const words = await failure({ redisUrl: 'redis//:secret@127.0.0.1:1' });
    expect(words).toContain('REDIS_URL must be redis://host:6379/0');
    expect(words).not.toContain('secret');
  });

  it('names the database that does not answer, without its password', async () => {
    const words = await failure({});
    expect(words).toMatch(/^The database at 127\.0\.0\.1:1\/gangan cannot be used \(.*ECONNREFUSED/);
    expect(words).not.toContain('secret');
  });
});
