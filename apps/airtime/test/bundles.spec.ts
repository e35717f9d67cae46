import type { AirtimePurchase, BuyAirtimeRequest, Network } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { type FakeAirtime, reloadlyOperators, vtpassError, vtpassVariations } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addFakes, addProvider, addRoute } from './support/add-provider.js';
import {
  africasTalkingSecrets,
  startAfricasTalking,
  startReloadly,
  startVtpass,
} from './support/open-adapters.js';
import { TestAirtime, type Worker } from './support/test-airtime.js';

const balance = 100_000_000n;

describe('buying data bundles', () => {
  const variations = vtpassVariations();
  let airtime: TestAirtime;
  let worker: Worker;
  let organisation: string;
  let vtpass: FakeAirtime;
  let reloadly: FakeAirtime;
  let ids: { readonly vtpass: string; readonly reloadly: string };
  let next = 0;

  beforeAll(async () => {
    airtime = await TestAirtime.open();
    [vtpass, reloadly] = [await startVtpass(1_500, variations), await startReloadly(reloadlyOperators())];
  });
  afterAll(async () => {
    await airtime.close();
    await vtpass.stop();
    await reloadly.stop();
  });
  beforeEach(async () => {
    Object.assign(variations, vtpassVariations());
    vtpass.payment = reloadly.payment = () => 'deliver';
    vtpass.query = reloadly.query = 'answer';
    const { database, sealer } = airtime;
    await database.execute(sql`TRUNCATE airtime_route, provider, airtime_catalogue CASCADE`);
    ids = await addFakes(database, sealer, { vtpass, reloadly });
    await addRoute(database, [ids.vtpass, ids.reloadly]);
    organisation = await airtime.organisation(balance, 'live');
    worker = await airtime.worker();
    await worker.providers.refresh();
    await worker.sync.sync();
  });
  afterEach(() => airtime.expectSoundLedger());

  const moveVtpass = async (url: string): Promise<void> => {
    const settings = { allowPrivate: true, url };
    await airtime.database.provider.update({ where: { id: ids.vtpass }, data: { settings } });
    await worker.providers.refresh();
  };
  const productOf = async (provider: string, network: Network, kobo: bigint): Promise<string> =>
    (
      await airtime.database.airtimeProduct.findFirstOrThrow({
        where: { provider, network, priceKobo: kobo, active: true },
      })
    ).id;
  const buy = (
    request: Partial<BuyAirtimeRequest>,
    context = newContext({ organisationId: organisation }),
  ): Promise<AirtimePurchase> => {
    const recipient = `0803300${String(1_000 + (next += 1))}`;
    return worker.service.buy({ network: 'MTN', recipient, ...request }, context);
  };
  const settle = async (request: Partial<BuyAirtimeRequest>): Promise<string> => {
    const { id } = await buy(request);
    await worker.settlement.settle(id);
    return id;
  };
  const syncAgain = async (): Promise<void> => {
    await airtime.database.execute(sql`UPDATE airtime_catalogue SET due_at = now() - interval '1 ms'`);
    await worker.sync.sync();
  };
  const lastPayment = (server: FakeAirtime): unknown =>
    JSON.parse(server.requests.findLast(({ path }) => /pay$|topups$/.test(path ?? ''))?.body ?? '{}');

  it('charges the price to the kobo, and returns the product in every response and callback', async () => {
    const test = await airtime.organisation(120_050n, 'test');
    const product_id = await productOf('simulator', 'MTN', 120_050n);
    const context = newContext({ organisationId: test });
    const callback = 'https://example.com/callbacks';
    const bought = await buy({ product_id, callback }, context);
    expect(bought).toMatchObject({
      status: 'pending',
      network: 'MTN',
      product_id,
      meta: { charge: { amount: 1200.5, balance_before: 1200.5, available_balance: 0, refunded: false } },
    });
    expect(await airtime.balances(test)).toEqual({ available: 0n, reserved: 120_050n });
    await worker.settlement.settle(bought.id);
    const read = newContext({ organisationId: test });
    expect(await worker.service.find({ id: bought.id }, read)).toMatchObject({
      status: 'success',
      product_id,
      meta: { charge: { amount: 1200.5 } },
    });
    expect((await worker.service.list({}, read)).purchases).toMatchObject([{ id: bought.id, product_id }]);
    expect(await airtime.balances(test)).toEqual({ available: 0n, reserved: 0n });
    expect(await airtime.booked(bought.id)).toEqual(['post', 'reserve']);
    const [report] = await airtime.database.query<{ body: string }>(
      sql`SELECT body FROM callback WHERE resource_id = ${bought.id}`,
    );
    expect(JSON.parse(report?.body ?? '')).toMatchObject({
      type: 'airtime.success',
      data: { amount: 1200.5, product_id },
    });
    await expect(buy({ product_id }, newContext({ organisationId: test }))).rejects.toMatchObject({
      status: 402,
    });
  });

  it('buys the variation from VTpass', async () => {
    const product_id = await productOf('vtpass', 'MTN', 100_000n);
    const id = await settle({ product_id, recipient: '08033000001' });
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'vtpass' });
    expect(lastPayment(vtpass)).toEqual({
      request_id: expect.any(String),
      serviceID: 'mtn-data',
      billersCode: '08033000001',
      variation_code: 'mtn-100mb-1000',
      amount: 1000,
      phone: '08033000001',
    });
    expect(await airtime.balances(organisation)).toEqual({ available: balance - 100_000n, reserved: 0n });
  });

  it.each([
    ['MTN', 100_050n, 345, 1000.5, false],
    ['Glo', 50_000n, 647, 500, true],
  ] as const)(
    'buys the fixed amount of %s from Reloadly',
    async (network, kobo, operatorId, amount, isLocal) => {
      const product_id = await productOf('reloadly', network, kobo);
      const id = await settle({ product_id, network });
      expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'reloadly' });
      expect(lastPayment(reloadly)).toMatchObject({ operatorId, amount, useLocalAmount: isLocal });
      expect(await airtime.balances(organisation)).toEqual({ available: balance - kobo, reserved: 0n });
    },
  );

  it.each(['vtpass', 'reloadly'] as const)(
    'asks %s after a lost answer, and never buys twice',
    async (provider) => {
      const server = provider === 'vtpass' ? vtpass : reloadly;
      const kobo = provider === 'vtpass' ? 10_000n : 50_000n;
      const product_id = await productOf(provider, 'MTN', kobo);
      server.payment = () => 'lose';
      const delivered = await settle({ product_id });
      server.payment = () => 'lose refusal';
      const refused = await settle({ product_id });
      server.payment = () => 'drop';
      const dropped = await settle({ product_id });
      server.payment = () => 'deliver';
      const payments = [...server.payments.values()].reduce((sum, count) => sum + count, 0);
      expect(await airtime.balances(organisation)).toEqual({
        available: balance - 3n * kobo,
        reserved: 3n * kobo,
      });
      await airtime.pass(600_000);
      await worker.sweep();
      expect(await airtime.stored(delivered)).toMatchObject({ state: 'success', provider });
      expect(await airtime.stored(refused)).toMatchObject({ state: 'failed', refunded: true });
      expect(await airtime.stored(dropped)).toMatchObject({ state: 'failed', code: 'never_arrived' });
      expect(await airtime.balances(organisation)).toEqual({ available: balance - kobo, reserved: 0n });
      expect([...server.payments.values()].reduce((sum, count) => sum + count, 0)).toBe(payments);
    },
  );

  it('rejects products that are not sold, and stores nothing', async () => {
    const other = await airtime.organisation(balance, 'live');
    const sold = await productOf('vtpass', 'MTN', 10_000n);
    const glo = await productOf('vtpass', 'Glo', 10_000n);
    const simulated = await productOf('simulator', 'MTN', 50_000n);
    const own = await productOf('reloadly', 'MTN', 50_000n);
    await airtime.database.provider.update({ where: { id: ids.reloadly }, data: { organisationId: other } });
    await worker.providers.refresh();
    variations['mtn-data'] = (variations['mtn-data'] ?? []).slice(1);
    await syncAgain();
    const before = await airtime.database.airtimePurchase.count();
    const unknown = { status: 400, fields: [{ field: 'product_id', type: 'value_error' }] };
    for (const product_id of [newId(), 'x', sold, simulated, own])
      await expect(buy({ product_id })).rejects.toMatchObject(unknown);
    await expect(buy({ product_id: own, network: 'Glo' })).rejects.toMatchObject(unknown);
    await expect(buy({ product_id: glo })).rejects.toMatchObject({
      status: 400,
      fields: [
        { field: 'network', type: 'value_error', message: 'network must be Glo, the network of the product' },
      ],
    });
    expect(await airtime.database.airtimePurchase.count()).toBe(before);
    expect(await airtime.balances(organisation)).toEqual({ available: balance, reserved: 0n });
  });

  it('refunds a bundle whose price changes before it is submitted, and rejects the old product', async () => {
    const product_id = await productOf('vtpass', 'MTN', 10_000n);
    const context = newContext({ organisationId: organisation });
    const request = { product_id, recipient: '08033999999' };
    const bought = await buy(request, context);
    const [first, ...others] = variations['mtn-data'] ?? [];
    if (!first) throw new Error('there is no bundle');
    variations['mtn-data'] = [{ ...first, variation_amount: '120.00' }, ...others];
    await syncAgain();
    await expect(buy({ product_id })).rejects.toMatchObject({ status: 400 });
    expect(await buy(request, context)).toEqual(bought);
    const payments = vtpass.payments.size;
    await worker.settlement.settle(bought.id);
    expect(await airtime.stored(bought.id)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'product_unavailable',
    });
    expect(vtpass.payments.size).toBe(payments);
    expect(await airtime.balances(organisation)).toEqual({ available: balance, reserved: 0n });
    const raised = await buy({ product_id: await productOf('vtpass', 'MTN', 12_000n) });
    expect(raised.meta.charge).toMatchObject({ amount: 120, balance_before: 1_000_000 });
  });

  it('refunds a bundle that vanishes while its submission is prepared', async () => {
    const { id } = await buy({ product_id: await productOf('vtpass', 'MTN', 10_000n) });
    const admit = worker.providers.admit.bind(worker.providers);
    worker.providers.admit = async (purchase) => {
      variations['mtn-data'] = (variations['mtn-data'] ?? []).slice(1);
      await syncAgain();
      return admit(purchase);
    };
    const payments = vtpass.payments.size;
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'failed', code: 'product_unavailable' });
    expect(vtpass.payments.size).toBe(payments);
    expect(await airtime.balances(organisation)).toEqual({ available: balance, reserved: 0n });
  });

  it('does not buy a bundle as airtime from another provider with the same name', async () => {
    const product_id = await productOf('vtpass', 'MTN', 10_000n);
    const { id } = await buy({ product_id });
    const talking = await startAfricasTalking();
    const settings = { allowPrivate: true, url: talking.url, username: 'acme' };
    await airtime.database.execute(sql`TRUNCATE airtime_route, provider CASCADE`);
    const { database, sealer } = airtime;
    const named = { name: 'vtpass', kind: 'africastalking', secrets: africasTalkingSecrets } as const;
    await addRoute(database, [await addProvider(database, sealer, { ...named, settings })]);
    await worker.providers.refresh();
    await expect(buy({ product_id })).rejects.toMatchObject({ status: 400 });
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending', provider: null });
    expect(talking.payments.size).toBe(0);
    await talking.stop();
  });

  it('leaves a bundle to workers that know products', async () => {
    const { id } = await buy({ product_id: await productOf('vtpass', 'MTN', 10_000n) });
    const submit = () =>
      airtime.database.execute(sql`
      UPDATE airtime_purchase SET state = 'submitting', provider = 'vtpass', submitted_at = now() WHERE id = ${id}`);
    await expect(submit()).rejects.toThrow('airtime_purchase_product_check');
    await moveVtpass('http://127.0.0.1:1/api');
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending', attempt: 1 });
    await expect(submit()).rejects.toThrow('airtime_purchase_product_check');
    await moveVtpass(vtpass.url);
    await airtime.pass(0);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'vtpass' });
  });

  it('waits for the provider of the bundle, and refunds it after a day', async () => {
    const product_id = await productOf('vtpass', 'MTN', 10_000n);
    await moveVtpass('http://127.0.0.1:1/api');
    const [late, lapsed] = [await settle({ product_id }), await settle({ product_id })];
    expect(await airtime.stored(late)).toMatchObject({ state: 'pending', provider: null });
    await airtime.age(lapsed, 25 * 3_600_000);
    await worker.sweep();
    expect(await airtime.stored(lapsed)).toMatchObject({ state: 'failed', refunded: true });
    await moveVtpass(vtpass.url);
    await airtime.pass(0);
    await worker.sweep();
    expect(await airtime.stored(late)).toMatchObject({ state: 'success', provider: 'vtpass' });
    expect(await airtime.balances(organisation)).toEqual({ available: balance - 10_000n, reserved: 0n });
  });

  it('refunds a bundle that the provider no longer has', async () => {
    const product_id = await productOf('vtpass', 'MTN', 10_000n);
    variations['mtn-data'] = [];
    const id = await settle({ product_id });
    expect(await airtime.stored(id)).toMatchObject({ state: 'failed', refunded: true, code: 'rejected' });
    expect(await airtime.balances(organisation)).toEqual({ available: balance, reserved: 0n });
  });

  it('refunds a bundle that our account may not sell, and still buys airtime from the provider', async () => {
    const product_id = await productOf('vtpass', 'MTN', 10_000n);
    vtpass.payment = () => vtpassError('028', 'PRODUCT IS NOT WHITELISTED ON YOUR ACCOUNT');
    const id = await settle({ product_id });
    expect(await airtime.stored(id)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'not_available',
    });
    vtpass.payment = () => 'deliver';
    await worker.providers.refresh();
    expect(await airtime.stored(await settle({ amount: 100 }))).toMatchObject({
      state: 'success',
      provider: 'vtpass',
    });
    expect(await airtime.balances(organisation)).toEqual({ available: balance - 10_000n, reserved: 0n });
  });

  it('finds duplicates of the same product only', async () => {
    const recipient = '08033888888';
    const [first, ...others] = vtpassVariations()['mtn-data'] ?? [];
    if (!first) throw new Error('there is no bundle');
    variations['mtn-data'] = [first, { ...first, variation_code: 'night' }, ...others];
    await syncAgain();
    const same = await airtime.database.airtimeProduct.findMany({
      where: { provider: 'vtpass', network: 'MTN', priceKobo: 10_000n, active: true },
    });
    const [one, other] = same.map(({ id }) => id);
    if (one === undefined || other === undefined) throw new Error('there are not two products');
    const states = [];
    for (const request of [{ product_id: one }, { product_id: other }, { amount: 100 }, { product_id: one }])
      states.push((await airtime.stored(await settle({ ...request, recipient }))).state);
    expect(states).toEqual(['success', 'success', 'success', 'duplicate']);
    expect(await airtime.balances(organisation)).toEqual({ available: balance - 30_000n, reserved: 0n });
  });

  it('counts bundles towards the daily limits, and waits while our credit is too low', async () => {
    const limited = await airtime.worker({
      limits: { DAILY_SPEND: 0, AIRTIME_DAILY_SPEND: 0, AIRTIME_DAILY_SPEND_PER_RECIPIENT: 1_500 },
    });
    await limited.providers.refresh();
    const product_id = await productOf('vtpass', 'MTN', 100_000n);
    const request = { network: 'MTN', recipient: '08033777777' } as const;
    const context = () => newContext({ organisationId: organisation });
    await limited.service.buy({ ...request, product_id }, context());
    await expect(
      limited.service.buy({ ...request, product_id, external_ref: 'second' }, context()),
    ).rejects.toMatchObject({ status: 429, fields: [{ type: 'daily_limit' }] });
    await limited.service.buy({ ...request, amount: 500 }, context());

    await worker.providers.askCredits();
    await worker.providers.refresh();
    expect(await airtime.stored(await settle({ product_id }))).toMatchObject({ state: 'success' });
    expect(await airtime.stored(await settle({ product_id }))).toMatchObject({
      state: 'pending',
      provider: null,
    });
  });
});
