import { createAccount, sql } from '@gangan/database';
import { firstIdAt, newId } from '@gangan/protocol';
import { DataSealer } from '@gangan/sealing';
import { aDelivery, aMessage } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { dataKey } from '../support/admin-cli.js';
import { AdminFixture } from '../support/admin-fixture.js';

interface Attempt {
  readonly routeId?: string;
  readonly provider?: string;
  readonly outcome?: string | null;
  readonly cost?: readonly [bigint, string];
}

const [known, removed] = [newId(), newId()];

describe('report margin', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli();
  let live: string;

  beforeAll(async () => {
    const { organisations } = await createAccount(fixture.database, new DataSealer([dataKey]), {
      name: 'Acme',
      sender: 'Acme',
    });
    live = organisations.find(({ mode }) => mode === 'live')?.id ?? '';
    const test = organisations.find(({ mode }) => mode === 'test')?.id ?? '';
    for (const [id, operator] of [
      [known, 'MTN'],
      [removed, 'Glo'],
    ] as const)
      await fixture.database.route.create({ data: { id, channel: 'sms', organisationId: live, operator } });
    await send(live, '2026-11-01T00:00:00Z', {}, [{ routeId: known, cost: [3_500_000n, 'NGN'] }]);
    await send(live, '2026-11-30T23:59:59.999Z', {}, [
      { routeId: known, provider: 'backup', outcome: 'transient' },
      { routeId: known, cost: [3_500_001n, 'NGN'] },
    ]);
    // Refunded, although the provider charges for it.
    await send(live, '2026-11-15T12:00:00Z', { refunded: true, state: 'undelivered' }, [
      { cost: [1n, 'NGN'] },
    ]);
    await send(live, '2026-11-15T12:00:00Z', { provider: 'backup' }, [
      { routeId: removed, provider: 'backup', cost: [7_500n, 'USD'] },
    ]);
    await send(live, '2026-11-15T12:00:00Z', { provider: 'other' }, [
      { provider: 'other', outcome: 'unknown' },
      { provider: 'other', outcome: null },
      { provider: 'other' },
    ]);
    await send(live, '2026-11-15T12:00:00Z', { provider: null, refunded: true, state: 'failed' }, []);
    for (const at of ['2026-10-31T23:59:59.999Z', '2026-12-01T00:00:00Z'])
      await send(live, at, {}, [{ cost: [999n, 'NGN'] }]);
    await send(test, '2026-11-15T12:00:00Z', { provider: 'simulator' }, [{ provider: 'simulator' }]);
    await fixture.database.route.delete({ where: { id: removed } });
  });

  /** A delivery that was charged with 4 naira. */
  async function send(organisationId: string, at: string, own: object, attempts: readonly Attempt[]) {
    const messageId = await aMessage(fixture.database, organisationId, {});
    const id = `${firstIdAt(new Date(at)).slice(0, 18)}${newId().slice(18)}`;
    await aDelivery(fixture.database, organisationId, {
      id,
      messageId,
      state: 'sent',
      provider: 'termii',
      ...own,
    });
    for (const [index, { routeId, provider = 'termii', outcome = 'accepted', cost }] of attempts.entries())
      await fixture.database.execute(sql`
        INSERT INTO delivery_attempt (delivery_id, attempt, route_id, provider, outcome, cost_micros, cost_currency)
        VALUES (${id}::uuid, ${index + 1}, ${routeId ?? null}::uuid, ${provider}, ${outcome}, ${cost?.[0] ?? null},
          ${cost?.[1] ?? null})`);
  }

  const margin = (...given: string[]) => admin.run('report', 'margin', '--month', '2026-11', ...given);
  const rows = async (...given: string[]) =>
    JSON.parse((await margin(...given, '--format', 'json')).out) as object[];
  const none = { charged: '0.00', refunded: '0.00', revenue: '0.00', cost: '0.00', other_costs: '' };

  it('adds up revenue and cost exactly, by organisation and provider', async () => {
    const own = { organisation: 'Acme/live', messages: 1, unknown_costs: 0 };
    expect(await rows('--by', 'provider', '--rate', 'USD=1612.50')).toEqual([
      { ...none, ...own, provider: '(none)', charged: '4.00', refunded: '4.00', difference: '0.00' },
      {
        ...none,
        ...own,
        provider: 'backup',
        charged: '4.00',
        revenue: '4.00',
        cost: '12.09375',
        difference: '-8.09375',
      },
      {
        ...none,
        ...own,
        provider: 'other',
        charged: '4.00',
        revenue: '4.00',
        unknown_costs: 3,
        difference: '',
      },
      {
        ...none,
        ...own,
        provider: 'termii',
        messages: 3,
        charged: '12.00',
        refunded: '4.00',
        revenue: '8.00',
        cost: '7.000002',
        difference: '0.999998',
      },
      {
        ...none,
        organisation: 'total',
        provider: '',
        messages: 6,
        charged: '24.00',
        refunded: '8.00',
        revenue: '16.00',
        cost: '19.093752',
        unknown_costs: 3,
        difference: '',
      },
    ]);
  });

  it('groups by route, even if the route was removed or belongs to no route', async () => {
    const own = { organisation: 'Acme/live', messages: 1, unknown_costs: 0 };
    const all = await rows('--rate', 'USD=1612.50');
    expect(all.slice(0, 3)).toEqual([
      {
        ...none,
        ...own,
        route: `(removed: ${removed})`,
        charged: '4.00',
        revenue: '4.00',
        cost: '12.09375',
        difference: '-8.09375',
      },
      {
        ...none,
        ...own,
        route: '(unknown)',
        messages: 3,
        charged: '12.00',
        refunded: '8.00',
        revenue: '4.00',
        cost: '0.000001',
        unknown_costs: 3,
        difference: '',
      },
      {
        ...none,
        ...own,
        route: 'sms to MTN of Acme/live',
        messages: 2,
        charged: '8.00',
        revenue: '8.00',
        cost: '7.000001',
        difference: '0.999999',
      },
    ]);
    const [total, byProvider] = [
      all.at(-1),
      (await rows('--by', 'provider', '--rate', 'USD=1612.50')).at(-1),
    ];
    expect({ ...total, provider: '' }).toEqual({ ...byProvider, route: '' });
  });

  it('lists messages without a known cost, and currencies without a rate', async () => {
    const { code, out, err } = await margin('--by', 'provider', '--format', 'csv');
    expect([code, err]).toEqual([0, expect.stringContaining('The cost of 3 messages at other is not known')]);
    expect(out.split('\n').slice(0, 3)).toEqual([
      'organisation,provider,messages,charged,refunded,revenue,cost,other_costs,unknown_costs,difference',
      'Acme/live,(none),1,4.00,4.00,0.00,0.00,,0,0.00',
      'Acme/live,backup,1,4.00,0.00,4.00,0.00,USD 0.0075,0,',
    ]);
    expect((await margin()).out).toContain('OTHER COSTS');
  });

  it('is empty for a month without messages, and rejects an invalid month or rate', async () => {
    expect(await admin.json('report', 'margin', '--month', '2026-09')).toEqual([]);
    for (const given of [
      ['--month', '2026-13'],
      ['--month', '2026-11', '--rate', 'NGN=1'],
      ['--month', '2026-11', '--rate', 'USD=x'],
      [],
    ])
      expect((await admin.run('report', 'margin', ...given)).code).toBe(2);
  });
});
