import { createTestDatabase, type TestDatabase } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Database,
  differingSpendLimits,
  readSpendLimits,
  storedSpendLimits,
  storeSpendLimits,
} from '@gangan/database';
import { migrate } from '../src/index.js';

describe('the limits of spending of organisations without their own', () => {
  let postgres: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    postgres = await createTestDatabase(migrate);
    database = new Database({ url: postgres.url, poolSize: 1 });
  });
  afterAll(async () => {
    await database.close();
    await postgres.drop();
  });

  const stored = async () => Object.fromEntries(await storedSpendLimits(database));
  const defaults = {
    DAILY_SPEND: 5_000_000n,
    MESSAGE_DAILY_SPEND: 0n,
    OTP_DAILY_SPEND: 0n,
    AIRTIME_DAILY_SPEND: 500_000n,
    LOOKUP_DAILY_SPEND: 0n,
  };

  it('are in a new database, and the variables that are set replace them', async () => {
    expect(await stored()).toEqual(defaults);
    const limits = readSpendLimits({ DAILY_SPEND: ' 20 ', OTP_DAILY_SPEND: '7', LOOKUP_DAILY_SPEND: '' });
    await storeSpendLimits(postgres.url, limits);
    await storeSpendLimits(postgres.url, {});
    expect(await stored()).toEqual({ ...defaults, DAILY_SPEND: 20n, OTP_DAILY_SPEND: 7n });
    expect(await differingSpendLimits(postgres.url, limits)).toEqual([]);
    expect(await differingSpendLimits(postgres.url, { ...limits, AIRTIME_DAILY_SPEND: 3 })).toEqual([
      'AIRTIME_DAILY_SPEND is 3, and the database has 500000.',
    ]);
  });

  it.each(['-1', '1.5', '1e3', '1000000001', 'many'])('are not read from %s', (DAILY_SPEND) => {
    expect(() => readSpendLimits({ DAILY_SPEND })).toThrow(
      'DAILY_SPEND must be a whole number of naira from 0 to 1000000000.',
    );
  });
});
