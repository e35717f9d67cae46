import type { ListAirtimeProductsRequest } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { type FakeAirtime, reloadlyOperators, vtpassVariations } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addFakes, addRoute } from './support/add-provider.js';
import { startReloadly, startVtpass } from './support/open-adapters.js';
import { TestAirtime, type Worker } from './support/test-airtime.js';

describe('the products of airtime providers', () => {
  const variations = vtpassVariations();
  const operators = reloadlyOperators();
  let airtime: TestAirtime;
  let worker: Worker;
  let organisation: string;
  let vtpass: FakeAirtime;
  let reloadly: FakeAirtime;
  let ids: { readonly vtpass: string; readonly reloadly: string };

  beforeAll(async () => {
    airtime = await TestAirtime.open();
    [vtpass, reloadly] = [await startVtpass(100_000, variations), await startReloadly(operators)];
  });
  afterAll(async () => {
    await airtime.close();
    await vtpass.stop();
    await reloadly.stop();
  });
  beforeEach(async () => {
    airtime.recorded.warnings.length = 0;
    Object.assign(variations, vtpassVariations());
    operators.splice(0, operators.length, ...reloadlyOperators());
    await airtime.database.execute(
      sql`TRUNCATE airtime_route, provider, airtime_product, airtime_catalogue CASCADE`,
    );
    const { database, sealer } = airtime;
    ids = await addFakes(database, sealer, { vtpass, reloadly });
    organisation = await airtime.organisation(100_000_000n, 'live');
    worker = await airtime.worker();
    await worker.providers.refresh();
    await worker.sync.sync();
  });

  const list = async (request: ListAirtimeProductsRequest = {}, organisationId = organisation) =>
    (await worker.products.list(request, newContext({ organisationId }))).products;
  const route = async (names: readonly (keyof typeof ids)[], conditions: object = {}): Promise<void> => {
    await addRoute(
      airtime.database,
      names.map((name) => ids[name]),
      conditions,
    );
    await worker.providers.refresh();
  };
  const syncAgain = async (): Promise<void> => {
    await airtime.database.execute(sql`UPDATE airtime_catalogue SET due_at = now() - interval '1 ms'`);
    await worker.sync.sync();
  };
  const change = (service: string, fields: object): void => {
    variations[service] = (variations[service] ?? []).map((one, index) =>
      index === 0 ? { ...one, ...fields } : one,
    );
  };

  it('are listed by network and price, with the details in their names', async () => {
    await route(['vtpass']);
    const any = expect.any(String);
    expect(await list()).toEqual([
      {
        id: any,
        network: 'Glo',
        name: 'Glo Data N100 - 105MB - 2 day',
        size: '105MB',
        validity: '2 day',
        price: 100,
      },
      { id: any, network: 'MTN', name: 'N100 100MB - 24 hrs', size: '100MB', validity: '24 hrs', price: 100 },
      {
        id: any,
        network: 'MTN',
        name: 'N1000 1.5GB - 30 days',
        size: '1.5GB',
        validity: '30 days',
        price: 1000,
      },
    ]);
    expect(await list({ network: 'Glo' })).toHaveLength(1);
    expect(await list({ network: 'NTEL' })).toEqual([]);
  });

  it('have the price of the account or of the network in naira if Reloadly sells them', async () => {
    await route(['reloadly']);
    const rows = await airtime.database.query(sql`
      SELECT network, code, name, price_kobo AS kobo FROM airtime_product WHERE provider = 'reloadly'
      ORDER BY network, price_kobo`);
    expect(rows).toEqual([
      { network: 'Glo', code: '647:local:500.00', name: '1.05GB 14 days', kobo: 50_000n },
      { network: 'MTN', code: '345:account:500.00', name: 'MTN 750MB 7 days Xtradata 500', kobo: 50_000n },
      { network: 'MTN', code: '345:account:1000.50', name: '2.5GB 2-Day Plan', kobo: 100_050n },
    ]);
    expect((await list()).map(({ price }) => price)).toEqual([500, 500, 1000.5]);
  });

  it('are visible only to organisations with a route to their provider', async () => {
    const other = await airtime.organisation(1n, 'live');
    const test = await airtime.organisation(1n, 'test');
    expect(await list()).toEqual([]);
    await route(['reloadly'], { network: 'MTN' });
    await route(['vtpass'], { organisationId: organisation, network: 'Glo' });
    const networksOf = async (id: string) =>
      (await list({}, id)).map(({ network, price }) => [network, price]);
    expect(await networksOf(organisation)).toEqual([
      ['Glo', 100],
      ['MTN', 500],
      ['MTN', 1000.5],
    ]);
    expect(await networksOf(other)).toEqual([
      ['MTN', 500],
      ['MTN', 1000.5],
    ]);
    expect((await list({}, test)).map(({ name, price }) => [name, price])).toEqual(
      ['9mobile', 'Airtel', 'Glo', 'MTN', 'NTEL'].flatMap((network) => [
        [`${network} 500MB - 7 days`, 500],
        [`${network} 1.5GB - 30 days`, 1200.5],
      ]),
    );
    await airtime.database.provider.updateMany({
      where: { name: 'reloadly' },
      data: { organisationId: organisation },
    });
    await worker.providers.refresh();
    expect(await networksOf(other)).toEqual([]);
  });

  it('are read in pages', async () => {
    await route(['vtpass', 'reloadly']);
    const whole = await list();
    const seen = [];
    for (let after: string | undefined, more = true; more;) {
      const request = { limit: 2, ...(after !== undefined && { after }) };
      const { products, meta } = await worker.products.list(
        request,
        newContext({ organisationId: organisation }),
      );
      seen.push(...products);
      ({ next: after } = meta.pagination);
      more = after !== undefined;
    }
    expect(seen).toEqual(whole);
    expect(whole).toHaveLength(6);
    expect(await list({ after: newId() })).toEqual([]);
  });

  it('have a new id after a change of price, and the old one after a change back', async () => {
    await route(['vtpass'], { network: 'MTN' });
    const before = await list();
    change('mtn-data', { variation_amount: '120.00', name: 'N120 100MB - 24 hrs' });
    await syncAgain();
    const raised = await list();
    expect(raised.map(({ price }) => price)).toEqual([120, 1000]);
    expect(raised[0]?.id).not.toBe(before[0]?.id);
    expect(raised[1]).toEqual(before[1]);
    change('mtn-data', { variation_amount: '100.00', name: 'N100 100MB - 1 day' });
    await syncAgain();
    const [lowered, ...others] = await list();
    expect(lowered).toMatchObject({
      id: before[0]?.id,
      name: 'N100 100MB - 1 day',
      validity: '1 day',
      price: 100,
    });
    expect(others).toEqual([before[1]]);
    expect(await airtime.database.airtimeProduct.count({ where: { provider: 'vtpass' } })).toBe(4);
  });

  it('are kept but not listed when the provider no longer lists them', async () => {
    await route(['vtpass']);
    const [glo] = await list({ network: 'Glo' });
    variations['glo-data'] = [];
    await syncAgain();
    expect(await list({ network: 'Glo' })).toEqual([]);
    expect(await airtime.database.airtimeProduct.findUnique({ where: { id: glo?.id ?? '' } })).toMatchObject({
      active: false,
    });
    variations['glo-data'] = vtpassVariations()['glo-data'] ?? [];
    await syncAgain();
    expect(await list({ network: 'Glo' })).toEqual([glo]);
  });

  it('are unchanged if their list cannot be read', async () => {
    await route(['vtpass']);
    const before = await list();
    delete variations['mtn-data'];
    variations['glo-data'] = [];
    await syncAgain();
    expect(await list()).toEqual(before.filter(({ network }) => network === 'MTN'));
    expect(airtime.recorded.warnings.splice(0)).toEqual([{ provider: 'vtpass', networks: ['MTN'] }]);
    await airtime.database.provider.updateMany({
      data: { settings: { allowPrivate: true, url: 'http://127.0.0.1:1/api' } },
      where: { name: 'vtpass' },
    });
    await worker.providers.refresh();
    await syncAgain();
    expect(await list({ network: 'MTN' })).toHaveLength(2);
    const [row] = await airtime.database.query<{ retry: boolean }>(sql`
      SELECT due_at < now() + interval '6 minutes' AS retry FROM airtime_catalogue WHERE provider = 'vtpass'`);
    expect(row).toEqual({ retry: true });
  });

  it('are not sold if their list was not read for three intervals', async () => {
    await route(['vtpass'], { network: 'MTN' });
    const [first] = await list();
    const buy = () => airtime.buy(worker, organisation, { product_id: first?.id ?? '' });
    const age = (minutes: number) =>
      airtime.database.execute(sql`
      UPDATE airtime_product SET synced_at = now() - ${minutes}::int * interval '1 minute' WHERE network = 'MTN'`);
    await age(179);
    expect(await list()).toHaveLength(2);
    await buy();
    await age(181);
    expect(await list()).toEqual([]);
    await expect(buy()).rejects.toMatchObject({ status: 400, fields: [{ field: 'product_id' }] });
    await syncAgain();
    expect(await list()).toHaveLength(2);
    await buy();
  });

  it('are unchanged if all lists are empty at once, until they are too old', async () => {
    await route(['vtpass']);
    const before = await list();
    for (const service of Object.keys(variations)) variations[service] = [];
    await syncAgain();
    expect(await list()).toEqual(before);
    expect(airtime.recorded.warnings.splice(0)).toMatchObject([{ provider: 'vtpass' }]);
    await airtime.database.execute(sql`UPDATE airtime_product SET synced_at = now() - interval '4 hours'`);
    await syncAgain();
    const active = { provider: 'vtpass', active: true };
    expect(await airtime.database.airtimeProduct.count({ where: active })).toBe(0);
    expect(airtime.recorded.warnings.splice(0)).toEqual([]);
  });

  it('are not stored if the account was replaced while they were read', async () => {
    await route(['vtpass']);
    const [source] = worker.providers.withProducts().filter(({ name }) => name === 'vtpass');
    if (!source) throw new Error('there is no provider');
    const read = source.products?.bind(source);
    source.products = async (signal) => {
      const lists = await read?.(signal);
      await airtime.database.execute(
        sql`UPDATE airtime_product SET active = false WHERE provider = 'vtpass'`,
      );
      await airtime.database.execute(sql`DELETE FROM airtime_catalogue WHERE provider = 'vtpass'`);
      return lists ?? new Map();
    };
    await syncAgain();
    expect(await list()).toEqual([]);
    delete source.products;
    await worker.sync.sync();
    expect(await list()).toHaveLength(3);
  });

  it('are read from the account that is stored when they are claimed', async () => {
    await route(['vtpass']);
    const replaced = await startVtpass(100_000, { ...vtpassVariations(), 'mtn-data': [] });
    await airtime.database.provider.updateMany({
      data: { settings: { allowPrivate: true, url: replaced.url } },
      where: { name: 'vtpass' },
    });
    await syncAgain();
    expect((await list()).map(({ network }) => network)).toEqual(['Glo']);
    await replaced.stop();
  });

  it('exclude what cannot be sold', async () => {
    await route(['vtpass', 'reloadly'], { network: 'MTN' });
    const [good] = vtpassVariations()['mtn-data'] ?? [];
    if (!good) throw new Error('there is no bundle');
    variations['mtn-data'] = [
      { ...good, name: 'A\u0000 long\ttext '.padEnd(300, 'x') },
      { ...good, variation_code: 'free', variation_amount: '0.00' },
      { ...good, variation_code: 'negative', variation_amount: '-5.00' },
      { ...good, variation_code: 'fine', variation_amount: '5.005' },
      { ...good, variation_code: 'absurd', variation_amount: '10000000.01' },
      { ...good, variation_code: 'beyond', variation_amount: '9'.repeat(40) },
      { ...good, variation_code: 'open', fixedPrice: 'No' },
      { ...good, variation_code: 'bad\ncode' },
      { ...good, variation_code: 'unnamed', name: ' ' },
    ];
    operators.splice(
      0,
      operators.length,
      ...reloadlyOperators().map((one) => ({ ...one, senderCurrencyCode: 'USD' })),
    );
    await syncAgain();
    expect(await list()).toMatchObject([{ name: 'A long text '.padEnd(255, 'x') }]);
  });

  it('can be many', async () => {
    await route(['vtpass']);
    const [good] = vtpassVariations()['mtn-data'] ?? [];
    if (!good) throw new Error('there is no bundle');
    variations['mtn-data'] = Array.from({ length: 1_500 }, (_, index) => ({
      ...good,
      variation_code: `bundle-${index}`,
    }));
    await syncAgain();
    expect(await airtime.database.airtimeProduct.count({ where: { active: true, network: 'MTN' } })).toBe(
      1_500 + 2 + 2,
    );
  });

  it('are read by one worker at a time, when they are due', async () => {
    const countOf = () => vtpass.requests.filter(({ path }) => path?.includes('mtn-data')).length;
    const before = countOf();
    await worker.sync.sync();
    expect(countOf()).toBe(before);
    await airtime.database.execute(sql`UPDATE airtime_catalogue SET due_at = now() - interval '1 ms'`);
    const other = await airtime.worker();
    await other.providers.refresh();
    await Promise.all([worker, other].map(({ sync }) => sync.sync()));
    expect(countOf()).toBe(before + 1);
  });
});
