import { sql } from '@gangan/database';
import { FakeTermii } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryFixture } from './support/delivery-fixture.js';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { storeRoute, storeTermii } from './support/stored-providers.js';

const apiKey = 'termii-key';
const recipient = '+2348031234567';

describe('what providers charge', () => {
  let fixture: DeliveryFixture;
  let server: FakeTermii;
  let worker: DeliveryWorker;
  let organisationId: string;

  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
  });
  afterAll(() => fixture.close());
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE provider, route, route_target CASCADE`);
    server = await FakeTermii.start(apiKey);
    worker = fixture.worker();
    organisationId = await fixture.organisation(100_000_000n, 'live');
  });
  afterEach(() => server.stop());

  const use = async (settings: object) => {
    const given = { url: server.url, apiKey, settings };
    await storeRoute(fixture.database, [await storeTermii(fixture.database, worker.sealer, 'termii', given)]);
    await worker.providers.refresh();
  };
  const send = async (content: string) => {
    const request = { recipients: recipient, content, sender_id: 'Acme' };
    const { deliveries } = await worker.accept(organisationId, request);
    await worker.idle();
    return deliveries[0] ?? '';
  };
  const costs = (id: string) =>
    fixture.database.query(sql`
      SELECT outcome, cost_micros AS micros, cost_currency AS currency FROM delivery_attempt
      WHERE delivery_id = ${id}::uuid ORDER BY attempt`);
  const perPart = { any: '12', NG: '3.5', '234803': '3.200001' };

  it('is stored with the attempt: the price of the longest prefix for each part', async () => {
    await use({ cost: { currency: 'NGN', perPart } });
    expect(await costs(await send('Hello'))).toEqual([
      { outcome: 'accepted', micros: 3_200_001n, currency: 'NGN' },
    ]);
    const { deliveries } = await fixture.accept(organisationId);
    await worker.due(organisationId, deliveries);
    expect(await costs(deliveries[0] ?? '')).toMatchObject([{ micros: 3_200_001n }]);
    expect(await costs(await send('x'.repeat(161)))).toMatchObject([{ micros: 6_400_002n }]);
  });

  it('is not known without a table, and nothing for what was not accepted', async () => {
    await use({ cost: { currency: 'NGN', perPart }, unanswered: 'wait' });
    server.behaviour = () => ({ status: 400, message: 'Invalid Sender Id' });
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'failed', micros: null, currency: null }]);
    server.behaviour = () => 'lost';
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'unknown', micros: null, currency: null }]);
    server.behaviour = () => 'accept';
    await fixture.database.execute(sql`UPDATE provider SET settings = settings - 'cost'`);
    await worker.providers.refresh();
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'accepted', micros: null, currency: null }]);
  });

  it('is what the answer states, if it states a price', async () => {
    // The answer of Termii has no price; its balance stands for one.
    await use({ cost: { currency: 'NGN', perPart, price: '/balance' } });
    expect(await costs(await send('Hello'))).toMatchObject([{ micros: 1_047_570_000n }]);
    await fixture.database.execute(sql`
      UPDATE provider SET settings = jsonb_set(settings, '{cost,price}', '"/nothing"')`);
    await worker.providers.refresh();
    expect(await costs(await send('Hello'))).toMatchObject([{ micros: 3_200_001n }]);
  });
});
