import { sql } from '@gangan/database';
import { type FakeTermii } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LiveFixture } from '../support/live-fixture.js';

describe('what providers charge', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let server: FakeTermii;
  beforeEach(async () => {
    server = await live.serveTermii();
  });

  const use = async (settings: object) => {
    await live.route([await live.add('termii', server, { settings })]);
  };
  const send = async (content: string) => {
    const [id = ''] = await live.send({ content });
    return id;
  };
  const costs = (id: string) =>
    fixture.database.query(sql`
      SELECT outcome, cost_micros AS micros, cost_currency AS currency FROM delivery_attempt
      WHERE delivery_id = ${id}::uuid ORDER BY attempt`);
  const perPart = { any: '12', NG: '3.5', '234803': '3.200001' };

  it('is the price of the longest prefix for each part, stored with the attempt', async () => {
    await use({ cost: { currency: 'NGN', perPart } });
    expect(await costs(await send('Hello'))).toEqual([
      { outcome: 'accepted', micros: 3_200_001n, currency: 'NGN' },
    ]);
    const { deliveries } = await fixture.accept(live.organisationId);
    await live.due(deliveries);
    expect(await costs(deliveries[0] ?? '')).toMatchObject([{ micros: 3_200_001n }]);
    expect(await costs(await send('x'.repeat(161)))).toMatchObject([{ micros: 6_400_002n }]);
  });

  it('is unknown without a price table, or if the message was not accepted', async () => {
    await use({ cost: { currency: 'NGN', perPart }, unanswered: 'wait' });
    server.behaviour = () => ({ status: 400, message: 'Invalid Sender Id' });
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'failed', micros: null, currency: null }]);
    server.behaviour = () => 'lost';
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'unknown', micros: null, currency: null }]);
    server.behaviour = () => 'accept';
    await fixture.database.execute(sql`UPDATE provider SET settings = settings - 'cost'`);
    await live.worker.providers.refresh();
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'accepted', micros: null, currency: null }]);
  });

  it('is the price in the answer, if it has one', async () => {
    // The answer of Termii has no price; its balance stands for one.
    await use({ cost: { currency: 'NGN', perPart, price: '/balance' } });
    expect(await costs(await send('Hello'))).toMatchObject([{ micros: 1_047_570_000n }]);
    await fixture.database.execute(sql`
      UPDATE provider SET settings = jsonb_set(settings, '{cost,price}', '"/nothing"')`);
    await live.worker.providers.refresh();
    expect(await costs(await send('Hello'))).toMatchObject([{ micros: 3_200_001n }]);
  });
});
