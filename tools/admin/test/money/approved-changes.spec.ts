import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { anOrganisation } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AdminCli } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

const fixture = AdminFixture.use();
let ada: AdminCli;
let grace: AdminCli;
let live: string;
let test: string;

beforeAll(async () => {
  // What operators have in their own shell changes nothing.
  const cli = async (name: string) =>
    fixture.cli({ DATABASE_URL: await fixture.addOperator(name), GANGAN_ACTOR: name, DAILY_SPEND: '0' });
  [ada, grace] = [await cli('ada'), await cli('grace')];
});

beforeEach(async () => {
  await fixture.database.execute(sql`DELETE FROM unapproved_amount`);
  live = (await anOrganisation(fixture.database, { mode: 'live', hasPrices: false })).id;
  test = (await anOrganisation(fixture.database, { mode: 'test', hasPrices: false })).id;
});

/** Must wait for an approval; returns what the approval says. */
async function requested(...command: string[]): Promise<{ id: string; change: string }> {
  const { code, out, err } = await ada.run(...command, '--yes', '--json');
  expect({ code, err }).toMatchObject({ code: 3 });
  const { approval } = JSON.parse(out) as { approval: string };
  const all = await ada.json<{ id: string; change: string }[]>('approvals');
  return { id: approval, change: all.find(({ id }) => id === approval)?.change ?? '' };
}

const approve = (id: string) => grace.json('approve', id, '--yes');
const audited = async (action: string) =>
  (await ada.json<Record<string, unknown>[]>('audit', '--action', action))[0];

describe('a price of live organisations', () => {
  const prices = async (organisation: string) =>
    (await fixture.database.organisationPrice.findMany({ where: { organisationId: organisation } })).map(
      ({ prefix, kobo }) => [prefix, Number(kobo)],
    );
  const set = (organisation: string, naira: string) =>
    ['prices', 'set', 'sms', '234', naira, '--organisation', organisation] as const;

  it('of 0 needs an approval; one for test organisations does not', async () => {
    await ada.json(...set(live, '4'));
    await ada.json(...set(test, '0'));
    const { id, change } = await requested(...set(live, '0'));
    expect(change).toMatch(
      /^set the price of sms to numbers that begin with 234 for .+\/live to 0\.00 naira instead of 4\.00 naira$/,
    );
    expect(await prices(live)).toEqual([['234', 400]]);
    await approve(id);
    expect(await prices(live)).toEqual([['234', 0]]);
    expect(await audited('approve')).toMatchObject({ actor: 'grace', after: { action: 'price', naira: 0 } });
  });

  it('below what a provider charges needs an approval', async () => {
    const settings = { cost: { currency: 'NGN', perPart: { NG: '3.505', '23481': '4', any: '50' } } };
    const data = {
      id: newId(),
      name: 'costly',
      kind: 'http',
      domains: ['message'],
      channels: ['sms'],
      settings,
    };
    await fixture.database.provider.create({ data: data as never });
    try {
      expect((await requested(...set(live, '3.99'))).change).toContain(
        'to 3.99 naira; there was no price; a provider charges 4.00 naira',
      );
      await ada.json(...set(live, '4'));
      await ada.json('prices', 'set', 'sms', '23480', '3.51', '--organisation', live);
      await requested('prices', 'set', 'sms', '23480', '3.50', '--organisation', live);
    } finally {
      await fixture.database.provider.delete({ where: { name: 'costly' } });
    }
  });

  it('that a removal replaces by a lower one needs an approval, which says what is removed', async () => {
    await ada.json('prices', 'set', 'lookup', '234', '2', '--organisation', live);
    const remove = ['prices', 'remove', 'lookup', '234', '--organisation', live] as const;
    const { id, change } = await requested(...remove);
    expect(change).toMatch(
      /^remove the price of lookup to numbers that begin with 234 .*, which is 2\.00 naira: 0\.00 naira is paid then$/,
    );
    await approve(id);
    expect(await prices(live)).toEqual([]);
    await ada.json(...set(live, '4'));
    await ada.json('prices', 'remove', 'sms', '234', '--organisation', live, '--yes');
    expect(await prices(live)).toEqual([]);
  });

  it('is not changed if it has changed since the request', async () => {
    const { id } = await requested(...set(live, '0'));
    await ada.json(...set(live, '5'));
    expect(await grace.run('approve', id, '--yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/changed since this was requested/),
    });
    expect(await prices(live)).toEqual([['234', 500]]);
  });
});

describe('limits of live organisations', () => {
  const limits = (organisation: string) =>
    fixture.database.organisation.findUniqueOrThrow({ where: { id: organisation } });

  it('need an approval to be raised above the limit in force, which may be the stored default', async () => {
    await ada.json('limits', 'set', live, '--airtime-daily-spend', '500000', '--request-burst', '9000');
    const { id, change } = await requested('limits', 'set', live, '--daily-spend', '5000001');
    expect(change).toMatch(
      /^change limits for .+\/live: daily_spend to 5000001\.00 naira instead of the configured 5000000\.00 naira$/,
    );
    expect(await limits(live)).toMatchObject({ dailySpendKobo: null, airtimeDailySpendKobo: 50_000_000n });
    await approve(id);
    expect(await limits(live)).toMatchObject({ dailySpendKobo: 500_000_100n });
    expect(await audited('approve')).toMatchObject({
      before: { daily_spend: 'default' },
      after: { daily_spend: 5_000_001 },
    });
    await ada.json('limits', 'set', live, '--daily-spend', 'default');
    for (const raised of [
      ['--daily-spend', '0'],
      ['--airtime-daily-spend', '500000.01'],
      ['--airtime-daily-spend-per-recipient', '0'],
    ]) {
      const request = await requested('limits', 'set', live, ...raised);
      await grace.json('reject', request.id);
    }
    // The database does not know the default.
    await approve((await requested('limits', 'set', live, '--airtime-key-cooling-hours', '24')).id);
    await ada.json('limits', 'set', live, '--airtime-key-cooling-hours', '25');
    await requested('limits', 'set', live, '--airtime-key-cooling-hours', '24');
    await ada.json('limits', 'set', test, '--daily-spend', '0');
  });
});

describe('airtime resolve', () => {
  const purchase = async (naira: number, state = 'error'): Promise<string> => {
    const id = newId();
    await fixture.database.execute(sql`
      INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
        balance_before_kobo, state, submitted_at, provider, request_id)
      VALUES (${id}, ${live}::uuid, 'MTN', '+2348031234567', '08031234567', ${naira}::bigint * 100, ${naira}::bigint * 100,
        ${state}::airtime_state, now(), 'vtpass', 'r')`);
    return id;
  };
  const resolution = async (id: string) =>
    (await fixture.database.airtimePurchase.findUniqueOrThrow({ where: { id } })).resolution;

  it('above the limit needs an approval, together with what was booked', async () => {
    await ada.json('top-up', live, '999500');
    const [small, large] = [await purchase(500), await purchase(100)];
    await ada.json('airtime', 'resolve', small, 'success', '--yes');
    const { id, change } = await requested('airtime', 'resolve', large, 'failed');
    expect(change).toMatch(
      new RegExp(`^refund the 100\\.00 naira of the airtime purchase ${large} for .+/live$`),
    );
    expect([await resolution(small), await resolution(large)]).toEqual(['success', null]);
    await approve(id);
    expect(await resolution(large)).toBe('failed');
  });
});
