import { describe, expect, it } from '@jest/globals';
import type { Order } from '../src/preparation.js';
import { prepareStore } from '../src/prepare-store.js';
import { tempFolder } from './temp-folder.js';

describe('preparing the store', () => {
  const path = tempFolder();
  const order = (given: Partial<Order>): Order => ({
    databaseUrl: 'postgresql://gangan:secret@127.0.0.1:1/gangan',
    redisUrl: undefined,
    queueKey: undefined,
    queueKeyFile: path('queue.key'),
    otpPepper: undefined,
    otpPepperFile: path('otp.pepper'),
    seed: false,
    ...given,
  });
  const failure = (given: Partial<Order>): Promise<string> =>
    prepareStore(order(given), () => undefined).then(
      () => 'prepared',
      (error: unknown) => (error as Error).message,
    );

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
