import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { listPrices, Prices } from '../src/index.js';
import { Treasury } from './support/treasury.js';

describe('prices', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open(2);
  });
  afterAll(() => treasury.close());

  const smsPrice = async (prices: Prices, organisationId: string): Promise<bigint> =>
    (await prices.of(organisationId)).priceOf('sms', '+2348031234567');

  it('are read once for concurrent callers, and again after 30 s', async () => {
    const organisationId = await treasury.organisation();
    const reads = jest.spyOn(treasury.database, 'run');
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1);
    try {
      const prices = new Prices(treasury.database);
      const ask = () => smsPrice(prices, organisationId);
      expect(new Set(await Promise.all(Array.from({ length: 100 }, ask)))).toEqual(new Set([400n]));
      await treasury.database.execute(
        sql`INSERT INTO price (service, prefix, kobo) VALUES ('sms', '234', 350)`,
      );
      clock.mockReturnValue(15_000);
      expect(await ask()).toBe(400n);
      expect(prices.cached(organisationId)?.priceOf('sms', '+2348031234567')).toBe(400n);
      expect(reads).toHaveBeenCalledTimes(2);
      clock.mockReturnValue(30_002);
      expect(prices.cached(organisationId)).toBeUndefined();
      expect(await ask()).toBe(350n);
      expect(reads).toHaveBeenCalledTimes(4);
      // After half of the time, a use reads them again, and does not wait for it.
      clock.mockReturnValue(50_000);
      expect(await ask()).toBe(350n);
      await until('they are read in the background', () => reads.mock.calls.length === 6);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('of an organisation override the list, but not for others', async () => {
    const [organisationId, other] = [await treasury.organisation(), await treasury.organisation()];
    await treasury.database.execute(sql`
      INSERT INTO organisation_price (organisation_id, service, prefix, kobo)
      VALUES (${organisationId}::uuid, 'sms', '234', 123)`);
    const prices = new Prices(treasury.database);
    expect(await smsPrice(prices, organisationId)).toBe(123n);
    expect(await smsPrice(prices, other)).not.toBe(123n);
    expect(prices.cached(organisationId)).toBe(await prices.of(organisationId));
    const listed = await listPrices(treasury.database, organisationId);
    expect(listed).toContainEqual({ service: 'sms', prefix: '234', kobo: 123n });
    expect(listed.filter(({ service, prefix }) => service === 'sms' && prefix === '234')).toHaveLength(1);
  });

  it('are read again after a failed read', async () => {
    const organisationId = await treasury.organisation();
    const prices = new Prices(treasury.database);
    const failing = jest.spyOn(treasury.database, 'run').mockRejectedValueOnce(new Error('away'));
    await expect(prices.of(organisationId)).rejects.toThrow('away');
    expect((await prices.of(organisationId)).priceOf('sms', '+447911123456')).toBe(400n);
    failing.mockRestore();
  });
});
