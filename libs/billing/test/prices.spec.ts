import { sql } from '@gangan/database';
import { anOrganisation, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { listPrices, Prices, pricesOf } from '../src/index.js';
import { Treasury } from './support/treasury.js';

describe('prices', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open(2);
  });
  afterAll(() => treasury.close());

  const number = '+2348031234567';
  const smsPrice = async (prices: Prices, organisationId: string): Promise<bigint | undefined> =>
    (await prices.of(organisationId)).tableOf('sms', 'otp').priceOf(number);

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
      expect(prices.cached(organisationId)?.tableOf('sms').priceOf(number)).toBe(400n);
      expect(reads).toHaveBeenCalledTimes(3);
      clock.mockReturnValue(30_002);
      expect(prices.cached(organisationId)).toBeUndefined();
      expect(await ask()).toBe(350n);
      expect(reads).toHaveBeenCalledTimes(5);
      // After half of the time, a use reads them again, and does not wait for it.
      clock.mockReturnValue(50_000);
      expect(await ask()).toBe(350n);
      await until('they are read in the background', () => reads.mock.calls.length === 7);
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
    const listed = await pricesOf(treasury.database, organisationId);
    expect(listed).toContainEqual({ service: 'sms', category: '', prefix: '234', kobo: 123n });
    expect(listed.filter(({ service, prefix }) => service === 'sms' && prefix === '234')).toHaveLength(1);
  });

  it('are read again after a failed read', async () => {
    const organisationId = await treasury.organisation();
    const prices = new Prices(treasury.database);
    const failing = jest.spyOn(treasury.database, 'run').mockRejectedValueOnce(new Error('away'));
    await expect(prices.of(organisationId)).rejects.toThrow('away');
    expect(await smsPrice(prices, organisationId)).toBe(350n);
    failing.mockRestore();
  });

  it('that were seeded hold for test organisations only, until an operator sets them', async () => {
    const british = '+447911123456';
    const live = await anOrganisation(treasury.database, { mode: 'live', hasPrices: false });
    const test = await treasury.organisation();
    const pricesFor = async ({ id }: { readonly id: string }) => {
      const list = await new Prices(treasury.database).of(id);
      return [
        ...[
          list.tableOf('sms', 'otp').priceOf(british),
          list.tableOf('whatsapp', 'promotional').priceOf(british),
        ],
        list.tableOf('lookup').priceOf(british),
      ];
    };
    expect(await pricesFor({ id: test })).toEqual([400n, 500n, 0n]);
    expect(await pricesFor(live)).toEqual([undefined, undefined, undefined]);
    expect(await pricesOf(treasury.database, live.id)).not.toContainEqual(
      expect.objectContaining({ prefix: '' }),
    );
    expect(await listPrices(treasury.database)).toContainEqual({
      ...{ service: 'sms', category: '', prefix: '', kobo: 400n, testOnly: true },
    });
    await treasury.database.execute(
      sql`UPDATE price SET test_only = false WHERE service = 'sms' AND prefix = ''`,
    );
    expect(await pricesFor(live)).toEqual([400n, undefined, undefined]);
    await treasury.database.execute(
      sql`UPDATE price SET test_only = true WHERE service = 'sms' AND prefix = ''`,
    );
  });

  it('that were just set apply at once to a number without a price', async () => {
    const { id } = await anOrganisation(treasury.database, { mode: 'live', hasPrices: false });
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1);
    const reads = jest.spyOn(treasury.database, 'run');
    try {
      const prices = new Prices(treasury.database);
      const ask = () =>
        prices.apply(
          id,
          (list) => list.tableOf('sms', 'transactional').priceOf('+2391234567'),
          (price) => price === undefined,
        );
      expect(await ask()).toBeUndefined();
      expect(reads).toHaveBeenCalledTimes(3);
      // They were read just now.
      clock.mockReturnValue(1_000);
      expect(await ask()).toBeUndefined();
      expect(reads).toHaveBeenCalledTimes(3);
      clock.mockReturnValue(1_002);
      expect(await ask()).toBeUndefined();
      expect(reads).toHaveBeenCalledTimes(5);
      await treasury.database.execute(
        sql`INSERT INTO price (service, category, prefix, kobo) VALUES ('sms', 'transactional', '239', 700)`,
      );
      clock.mockReturnValue(2_004);
      expect(await ask()).toBe(700n);
      expect(await ask()).toBe(700n);
      expect(reads).toHaveBeenCalledTimes(7);
    } finally {
      jest.restoreAllMocks();
    }
  });

  it('have a category only if they are for messages', async () => {
    for (const [service, category] of [
      ['lookup', 'otp'],
      ['sms', 'marketing'],
    ])
      await expect(
        treasury.database.execute(
          sql`INSERT INTO price (service, category, prefix, kobo) VALUES (${service}::priced_service, ${category}, '1', 1)`,
        ),
      ).rejects.toMatchObject({ constraint: 'price_category_check' });
  });
});
