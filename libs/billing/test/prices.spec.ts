import { sql } from '@gangan/database';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Prices } from '../src/index.js';
import { Treasury } from './support/treasury.js';

describe('prices', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open(2);
  });
  afterAll(() => treasury.close());

  it('are read once for concurrent callers, and again after 30 s', async () => {
    const reads = jest.spyOn(treasury.database, 'run');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1);
    try {
      const prices = new Prices(treasury.database);
      const ask = () => prices.priceOf('sms', '+2348031234567');
      expect(new Set(await Promise.all(Array.from({ length: 100 }, ask)))).toEqual(new Set([400n]));
      await treasury.database.execute(
        sql`INSERT INTO price (service, prefix, kobo) VALUES ('sms', '234', 350)`,
      );
      clock.mockReturnValue(30_000);
      expect(await ask()).toBe(400n);
      expect(reads).toHaveBeenCalledTimes(1);
      clock.mockReturnValue(30_002);
      expect(await ask()).toBe(350n);
      expect(reads).toHaveBeenCalledTimes(2);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('are read again after a failed read', async () => {
    const prices = new Prices(treasury.database);
    const failing = jest.spyOn(treasury.database, 'run').mockRejectedValueOnce(new Error('away'));
    await expect(prices.priceOf('sms', '+447911123456')).rejects.toThrow('away');
    expect(await prices.priceOf('sms', '+447911123456')).toBe(400n);
    failing.mockRestore();
  });
});
