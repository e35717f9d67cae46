import { until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

interface Purchase {
  readonly id: string;
  readonly status: string;
  readonly meta: {
    readonly charge: { amount: number; available_balance: number; balance_before: number; refunded: boolean };
  };
}

export function sellsAirtime(running: RunningSystem): void {
  const { system } = running;
  const { key } = ownOrganisation(running, 'Airtime');
  const buy = (body: object) =>
    system().request({
      method: 'POST',
      path: '/airtime/buy',
      key: key(),
      body: { network: 'MTN', amount: 99.5, ...body },
    });
  const read = async (id: string) =>
    (await system().request({ path: `/airtime/${id}`, key: key() })).body as Purchase;
  const ended = (id: string): Promise<Purchase> =>
    until('the purchase ends', async () => {
      const purchase = await read(id);
      return ['pending', 'sent'].includes(purchase.status) ? undefined : purchase;
    });
  const balance = async () => (await system().request({ path: '/balance', key: key() })).body;

  it('sells, and responds as specified', async () => {
    const answer = await buy({ recipient: '0803 100 0001', external_ref: 'order-1', amount: 250 });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        recipient: '0803 100 0001',
        external_ref: 'order-1',
        status: 'pending',
        network: 'MTN',
        meta: { method: 'POST', resource: '/airtime/buy', charge: { amount: 250, refunded: false } },
      },
    });
    const { id, meta } = answer.body as Purchase;
    expect(meta.charge.balance_before - meta.charge.amount).toBe(meta.charge.available_balance);
    expect(await ended(id)).toMatchObject({ status: 'success', meta: { charge: { refunded: false } } });
  });

  it('refunds failed and duplicate purchases', async () => {
    const before = await balance();
    const failed = (await buy({ recipient: '+2347000000002' })).body as Purchase;
    expect(await ended(failed.id)).toMatchObject({ status: 'failed', meta: { charge: { refunded: true } } });
    expect(await balance()).toEqual(before);
    const [first, second] = [
      await buy({ recipient: '08031000002' }),
      await buy({ recipient: '08031000002' }),
    ];
    expect(await ended((first.body as Purchase).id)).toMatchObject({ status: 'success' });
    expect(await ended((second.body as Purchase).id)).toMatchObject({ status: 'duplicate' });
  });

  it('queries the provider for an outcome that was not reported', async () => {
    const bought = (await buy({ recipient: '+2347000000005' })).body as Purchase;
    expect(await ended(bought.id)).toMatchObject({ status: 'success' });
  });

  it('lists the data bundles of the simulator', async () => {
    const found = await until('the products are read', async () => {
      const { body } = await system().request({ path: '/airtime/products?network=MTN', key: key() });
      return (body as { products: object[] }).products.length > 0 ? body : undefined;
    });
    expect(found).toEqual({
      products: [
        {
          id: expect.any(String),
          network: 'MTN',
          name: 'MTN 500MB - 7 days',
          size: '500MB',
          validity: '7 days',
          price: 500,
        },
        {
          id: expect.any(String),
          network: 'MTN',
          name: 'MTN 1.5GB - 30 days',
          size: '1.5GB',
          validity: '30 days',
          price: 1200.5,
        },
      ],
      meta: { method: 'GET', resource: '/airtime/products', pagination: { limit: 50 } },
    });
  });

  it('sells a data bundle for its price, and rejects it with an amount or for another network', async () => {
    const { body } = await system().request({ path: '/airtime/products?network=MTN&limit=1', key: key() });
    const product_id = (body as { products: { id: string }[] }).products[0]?.id;
    const bundle = { product_id, amount: undefined };
    const bought = (await buy({ ...bundle, recipient: '08031000003' })).body as Purchase;
    expect(bought).toMatchObject({ status: 'pending', product_id, meta: { charge: { amount: 500 } } });
    expect(await ended(bought.id)).toMatchObject({ status: 'success', product_id });
    const before = await balance();
    for (const [request, field] of [
      [{ ...bundle, amount: 500 }, 'product_id'],
      [{ ...bundle, network: 'Glo' }, 'network'],
      [{ ...bundle, product_id: bought.id }, 'product_id'],
    ] as const)
      expect(await buy({ ...request, recipient: '08031000003' })).toMatchObject({
        status: 400,
        body: { errors: [{ field, type: 'value_error' }] },
      });
    expect(await balance()).toEqual(before);
  });

  it('lists purchases and networks, and rejects other networks', async () => {
    const list = await system().request({ path: '/airtime?status=duplicate&limit=5', key: key() });
    expect(list).toMatchObject({ status: 200, body: { purchases: [{ status: 'duplicate' }] } });
    const found = await system().request({
      path: '/airtime?recipient=08031000001&external_ref=order-1&network=MTN',
      key: key(),
    });
    expect(found).toMatchObject({ status: 200, body: { purchases: [{ recipient: '0803 100 0001' }] } });
    expect(await system().request({ path: '/airtime?recipient=%2B4915123456789', key: key() })).toMatchObject(
      {
        status: 400,
        body: { errors: [{ field: 'recipient', type: 'phone' }] },
      },
    );
    expect((await system().request({ path: '/airtime/networks', key: key() })).body).toHaveLength(5);
    expect(await system().request({ path: '/airtime/buy', key: key() })).toMatchObject({ status: 405 });
    expect(
      await system().request({ path: '/airtime/019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42', key: key() }),
    ).toMatchObject({
      status: 404,
      body: { status: 404, message: 'The purchase was not found' },
    });
  });
}
