import { startPostgres } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { type Order, prepareStore } from '../src/prepare-store.js';
import { tempFolder } from './temp-folder.js';

describe('preparing the store', () => {
  const path = tempFolder();
  const order = (given: Partial<Order>): Order => ({
    databaseUrl: 'postgresql://gangan:secret@127.0.0.1:1/gangan',
    redisUrl: undefined,
    queueKey: undefined,
    otpPepper: undefined,
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

  it('says nothing of the keys that it makes for a new database, and of those that are lost beside another', async () => {
    const postgres = await startPostgres();
    try {
      const said: string[] = [];
      const prepare = () => prepareStore(order({ databaseUrl: postgres.url }), (line) => said.push(line));
      const first = await prepare();
      expect(said.filter((line) => line.includes('is gone'))).toEqual([]);
      await rm(path('otp.pepper'));
      const second = await prepare();
      expect(second.queueKey).toBe(first.queueKey);
      expect(second.otpPepper).not.toBe(first.otpPepper);
      expect(said.filter((line) => line.includes('is gone'))).toEqual([
        expect.stringMatching(
          /^The pepper of the OTPs is gone .* OTPs that were sent .* cannot be verified\.$/,
        ),
      ]);
    } finally {
      await postgres.stop();
    }
  }, 60_000);

  it.each(['postgres//u:secret@127.0.0.1:1/x', 'host=127.0.0.1 password=secret'])(
    'refuses %s as a database in the words of the apps, and shows nothing of it',
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

  it('says where the database is that does not answer, without its password', async () => {
    const words = await failure({});
    expect(words).toMatch(/^The database at 127\.0\.0\.1:1\/gangan cannot be used \(.*ECONNREFUSED/);
    expect(words).not.toContain('secret');
  });
});
