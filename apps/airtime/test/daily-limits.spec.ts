import { setLimits, sql } from '@gangan/database';
import { AppError, BatchScope, newContext, newId, runInContext } from '@gangan/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AirtimeConfig } from '../src/airtime.config.js';
import { defaultLimits, TestAirtime, type Worker } from './support/test-airtime.js';

const naira = 100n;

describe('the daily limits', () => {
  let airtime: TestAirtime;
  let worker: Worker;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    worker = await airtime.worker({ limits: defaultLimits });
  });
  afterAll(() => airtime.close());
  afterEach(() => airtime.expectSoundLedger());

  interface Order {
    readonly recipient: string;
    readonly amount: number;
  }

  /** Runs the members of one batch like the queue. Returns the amount bought, or the name of the limit. */
  const buyTogether = async (organisationId: string, orders: readonly Order[]) => {
    const batch = new BatchScope(orders.length);
    const settled = await Promise.allSettled(
      orders.map((order) => {
        const context = newContext({ organisationId });
        const request = { ...order, network: 'MTN', external_ref: newId() } as const;
        return runInContext(context, () => worker.service.buy(request, context), batch);
      }),
    );
    return settled.map((result) => {
      if (result.status === 'fulfilled') return result.value.meta.charge.amount;
      if (!(result.reason instanceof AppError)) throw result.reason;
      return result.reason.fields[0]?.field ?? result.reason.code;
    });
  };
  const sum = (results: readonly (number | string)[]): number =>
    results.reduce<number>((total, result) => total + (typeof result === 'number' ? result : 0), 0);
  const numberOf = (place: number): string => `+23480312${String(30_000 + place)}`;
  const perRecipient = 'airtime_daily_spend_per_recipient';

  it('have the documented default per recipient', () => {
    expect(AirtimeConfig.variables.AIRTIME_DAILY_SPEND_PER_RECIPIENT?.default).toBe(
      defaultLimits.AIRTIME_DAILY_SPEND_PER_RECIPIENT,
    );
  });

  it('keep a stolen key from emptying a wallet into airtime overnight', async () => {
    const organisationId = await airtime.organisation(5_000_000n * naira);
    const night = Array.from({ length: 40 }, (_, batch) =>
      Array.from({ length: 10 }, (__, place) => ({
        recipient: numberOf(10 * batch + place),
        amount: 50_000,
      })),
    );
    const results = (await Promise.all(night.map((orders) => buyTogether(organisationId, orders)))).flat();
    expect(sum(results)).toBe(defaultLimits.AIRTIME_DAILY_SPEND);
    expect(new Set(results)).toEqual(new Set([50_000, 'airtime_daily_spend']));
    expect(await airtime.balances(organisationId)).toEqual({
      available: 4_500_000n * naira,
      reserved: 500_000n * naira,
    });
  });

  it('respond 429 with the time until midnight, and a message that names the limit', async () => {
    const organisationId = await airtime.organisation(1_000_000n * naira);
    await setLimits(airtime.database, organisationId, { airtimeDailySpendKobo: 100n * naira });
    const order = { network: 'MTN', amount: 100.01, recipient: '08031234567' } as const;
    const error = await worker.service
      .buy(order, newContext({ organisationId }))
      .catch((failure: unknown) => failure as AppError);
    const midnight = new Date();
    midnight.setUTCHours(24, 0, 0, 0);
    expect(error).toMatchObject({
      code: 'daily_limit',
      status: 429,
      message: 'The airtime daily spend limit of the organisation is reached until 00:00 UTC',
      fields: [
        {
          field: 'airtime_daily_spend',
          message: expect.stringContaining(
            'NGN 100.00 a day. NGN 100.00 is left today, and this costs NGN 100.01. Retry',
          ),
          type: 'daily_limit',
        },
      ],
    });
    const seconds = (error as AppError).retryAfter ?? 0;
    expect(Math.abs(seconds - (midnight.getTime() - Date.now()) / 1_000)).toBeLessThan(60);
  });

  it('apply to one recipient across workers and batches', async () => {
    const organisationId = await airtime.organisation(5_000_000n * naira);
    await setLimits(airtime.database, organisationId, { airtimeDailySpendKobo: 0n });
    const batches = Array.from({ length: 20 }, () => [
      { recipient: numberOf(1), amount: 9_000 },
      { recipient: numberOf(1), amount: 5_000 },
      { recipient: numberOf(2), amount: 1_000 },
    ]);
    const results = await Promise.all(batches.map((orders) => buyTogether(organisationId, orders)));
    const first = results.flatMap((batch) => batch.slice(0, 2));
    expect(sum(first)).toBeLessThanOrEqual(100_000);
    expect(sum(first)).toBeGreaterThan(100_000 - 5_000);
    expect(first).toContain(perRecipient);
    expect(sum(results.map((batch) => batch[2] ?? ''))).toBe(20_000);
    await setLimits(airtime.database, organisationId, { airtimeDailySpendPerRecipientKobo: 0n });
    expect(await buyTogether(organisationId, [{ recipient: numberOf(1), amount: 50_000 }])).toEqual([50_000]);
  });

  it('do not count refunded or rejected purchases, nor those of another day', async () => {
    const organisationId = await airtime.organisation(150_000n * naira);
    await setLimits(airtime.database, organisationId, { airtimeDailySpendKobo: 0n });
    const buy = async (amount: number, recipient = '+2347000000002') =>
      (await buyTogether(organisationId, [{ recipient, amount }]))[0];
    expect([await buy(100_000), await buy(1)]).toEqual([100_000, perRecipient]);
    // The simulator rejects this number.
    await airtime.pass(0);
    await worker.sweep();
    expect([await buy(90_000), await buy(10_001)]).toEqual([90_000, perRecipient]);
    await airtime.database.execute(sql`
      UPDATE ledger_account SET spent_on = spent_on + 1, airtime_spent_kobo = 0
      WHERE organisation_id = ${organisationId}::uuid AND kind = 'wallet'`);
    expect(await buy(50_000)).toBe(50_000);
    // In one batch, the purchase that the balance does not cover leaves its share of the limit to the next.
    const small = await airtime.organisation(5_000n * naira);
    const recipient = numberOf(3);
    const orders = [90_000, 20_000, 5_000].map((amount) => ({ recipient, amount }));
    expect(await buyTogether(small, orders)).toEqual(['balance', 'balance', 5_000]);
  });

  it('do not reject a repeated request after the limit was reached', async () => {
    const organisationId = await airtime.organisation(1_000_000n * naira);
    const context = newContext({ organisationId });
    const order = { network: 'MTN', amount: 100_000, recipient: '08031234567' } as const;
    const first = await worker.service.buy(order, context);
    expect(await worker.service.buy(order, context)).toEqual(first);
    await expect(worker.service.buy(order, newContext({ organisationId }))).rejects.toMatchObject({
      status: 429,
    });
  });
});
