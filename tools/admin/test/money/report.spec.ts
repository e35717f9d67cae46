import { createAccount, sql } from '@gangan/database';
import { firstIdAt, newId } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
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
    const { organisations } = await createAccount(fixture.database, masterSealer([dataKey]), {
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
  const none = {
    ...{
      service: 'message',
      charged: '0.00',
      refunded: '0.00',
      revenue: '0.00',
      cost: '0.00',
      other_costs: '',
    },
    repeated: 0,
  };

  it('adds up revenue and cost exactly, by organisation and provider', async () => {
    const own = { organisation: 'Acme/live', count: 1, unknown_costs: 0 };
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
        repeated: 2,
        unknown_costs: 3,
        difference: '',
      },
      {
        ...none,
        ...own,
        provider: 'termii',
        count: 3,
        charged: '12.00',
        refunded: '4.00',
        revenue: '8.00',
        cost: '7.000002',
        difference: '0.999998',
      },
      {
        ...none,
        organisation: 'total',
        service: '',
        provider: '',
        count: 6,
        charged: '24.00',
        refunded: '8.00',
        revenue: '16.00',
        cost: '19.093752',
        repeated: 2,
        unknown_costs: 3,
        difference: '',
      },
    ]);
  });

  it('groups by route, even if the route was removed or belongs to no route', async () => {
    const own = { organisation: 'Acme/live', count: 1, unknown_costs: 0 };
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
        count: 3,
        charged: '12.00',
        refunded: '8.00',
        revenue: '4.00',
        cost: '0.000001',
        repeated: 2,
        unknown_costs: 3,
        difference: '',
      },
      {
        ...none,
        ...own,
        route: 'sms to MTN of Acme/live',
        count: 2,
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
      'organisation,service,provider,count,charged,refunded,revenue,cost,other_costs,repeated,unknown_costs,difference',
      'Acme/live,message,(none),1,4.00,4.00,0.00,0.00,,0,0,0.00',
      'Acme/live,message,backup,1,4.00,0.00,4.00,0.00,USD 0.0075,0,0,',
    ]);
    expect((await margin()).out).toContain('OTHER COSTS');
  });

  it('warns of rows that cost more than customers paid', async () => {
    const { err } = await margin('--by', 'provider', '--rate', 'USD=1612.50');
    expect(err).toContain(
      'charges more than the customer pays in 1 rows: Acme/live message backup. Check their prices',
    );
    expect((await margin('--by', 'provider', '--rate', 'USD=100')).err).not.toContain('charges more');
  });

  describe('of a month', () => {
    const october = async (...given: string[]) => {
      const { out, err } = await admin.run(
        'report',
        'margin',
        '--month',
        '2026-10',
        '--format',
        'json',
        ...given,
      );
      return { rows: JSON.parse(out) as Record<string, string>[], err };
    };
    const at = '2026-10-10T12:00:00Z';
    beforeAll(async () => {
      const { organisations } = await createAccount(fixture.database, masterSealer([dataKey]), {
        name: 'Beta',
        sender: 'Beta',
      });
      const beta = organisations.find(({ mode }) => mode === 'live')?.id ?? '';
      const played = organisations.find(({ mode }) => mode === 'test')?.id ?? '';
      await provider('asked', { ask: {} });
      await provider('plain', {});
      // Killed, made again and accepted: the provider may have charged for both.
      await send(beta, at, { provider: 'plain' }, [
        { provider: 'plain', outcome: null },
        { provider: 'plain', outcome: 'unknown' },
        { routeId: known, provider: 'plain', cost: [1_000_003n, 'NGN'] },
      ]);
      // Another provider may have it, too; it was made again there only.
      await send(beta, at, { provider: 'plain' }, [
        { provider: 'other', outcome: 'unknown' },
        { provider: 'plain', cost: [1_000_000n, 'NGN'] },
      ]);
      // Reported later, with its cost.
      await send(beta, at, { provider: 'plain' }, [
        { provider: 'plain', outcome: 'unknown', cost: [500_000n, 'NGN'] },
        { provider: 'plain', outcome: 'transient' },
      ]);
      // Asked about the first attempt.
      await send(beta, at, { provider: 'asked' }, [
        { provider: 'asked', outcome: null },
        { provider: 'asked', cost: [2_000_000n, 'NGN'] },
      ]);
      await send(beta, at, { provider: 'asked', state: 'failed', refunded: true }, [
        { provider: 'asked', outcome: null },
        { provider: 'asked', outcome: 'failed' },
      ]);
      for (const [network, own] of [
        ['MTN', { state: 'success', costMicros: 97_000_000n, costCurrency: 'NGN' }],
        ['MTN', { state: 'success', costMicros: 101_000_000n, costCurrency: 'NGN' }],
        ['Glo', { state: 'success' }],
        ['Glo', { state: 'error' }],
        ['Airtel', { state: 'failed', refunded: true }],
        ['9mobile', { state: 'failed', refunded: true, costMicros: 60_000n, costCurrency: 'USD' }],
      ] as const)
        await buy(beta, network, own);
      await buy(played, 'MTN', { state: 'success', provider: 'simulator' });
      const [lost] = await fixture.database.airtimePurchase.findMany({ where: { network: '9mobile' } });
      await book(beta, 'loss', 'airtime', 10_000n, lost?.id);
      await book(beta, 'charge', 'lookup', 500n);
      await book(beta, 'post', 'lookup', 250n);
      await book(beta, 'charge', 'message', 999n);
      await book(beta, 'reserve', 'lookup', 250n);
      for (const [organisationId, day, currency, calls, micros] of [
        [beta, '2026-10-31', 'NGN', 2n, 8_000_000n],
        [beta, '2026-10-01', '', 3n, 0n],
        [beta, '2026-11-01', 'NGN', 1n, 1n],
        [played, '2026-10-01', 'NGN', 1n, 1n],
      ] as const)
        await fixture.database.lookupTally.create({
          data: { organisationId, day: new Date(day), provider: 'hlr', currency, calls, micros },
        });
    });

    const provider = (name: string, settings: object) =>
      fixture.database.provider.create({
        data: { id: newId(), name, kind: 'http', domains: ['message'], channels: ['sms'], settings },
      });
    const idAt = (): string => `${firstIdAt(new Date(at)).slice(0, 18)}${newId().slice(18)}`;
    const buy = (organisationId: string, network: string, own: object) =>
      fixture.database.airtimePurchase.create({
        data: {
          id: idAt(),
          organisationId,
          network,
          recipient: '+2348031234567',
          recipientGiven: '08031234567',
          amountKobo: 10_000n,
          balanceBeforeKobo: 10_000n,
          requestId: 'request',
          provider: 'vtpass',
          submittedAt: new Date(at),
          nextAttemptAt: null,
          ...own,
        },
      });
    /** As if the money came from outside. */
    const book = async (
      organisationId: string,
      kind: string,
      category: string,
      kobo: bigint,
      subjectId = newId(),
    ): Promise<void> => {
      await fixture.database.execute(sql`
        INSERT INTO ledger_movement (subject_id, kind, id, organisation_id, from_account, to_account, kobo, category)
        VALUES (${subjectId}::uuid, ${kind}::ledger_movement_kind, ${idAt()}::uuid, ${organisationId}::uuid, 'funding',
          'revenue', ${kobo}::bigint, ${category}::spend_category)`);
    };

    it('has airtime, lookups and attempts that were made again after a kill', async () => {
      const { rows: found, err } = await october('--by', 'provider', '--rate', 'USD=1600');
      const beta = found.filter(({ organisation }) => organisation === 'Beta/live');
      expect(beta).toEqual([
        {
          ...{
            organisation: 'Beta/live',
            service: 'airtime',
            provider: 'vtpass',
            count: 5,
            charged: '400.00',
          },
          ...{ refunded: '100.00', revenue: '300.00', cost: '294.00', other_costs: '' },
          ...{ repeated: 0, unknown_costs: 2, difference: '' },
        },
        {
          ...{ organisation: 'Beta/live', service: 'lookup', provider: '(all)', count: 2, charged: '7.50' },
          ...{ refunded: '0.00', revenue: '7.50', cost: '8.00', other_costs: '' },
          ...{ repeated: 0, unknown_costs: 3, difference: '' },
        },
        {
          ...{ organisation: 'Beta/live', service: 'message', provider: 'asked', count: 2, charged: '8.00' },
          ...{ refunded: '4.00', revenue: '4.00', cost: '2.00', other_costs: '' },
          ...{ repeated: 0, unknown_costs: 0, difference: '2.00' },
        },
        {
          ...{ organisation: 'Beta/live', service: 'message', provider: 'other', count: 0, charged: '0.00' },
          ...{ refunded: '0.00', revenue: '0.00', cost: '0.00', other_costs: '' },
          ...{ repeated: 0, unknown_costs: 1, difference: '' },
        },
        {
          ...{ organisation: 'Beta/live', service: 'message', provider: 'plain', count: 3, charged: '12.00' },
          ...{ refunded: '0.00', revenue: '12.00', cost: '4.500009', other_costs: '' },
          ...{ repeated: 2, unknown_costs: 0, difference: '7.499991' },
        },
      ]);
      expect(err).toContain('The cost of 2 purchases at vtpass is not known: set `commission`');
      expect(err).toContain('The cost of 3 lookups is not known: set `cost`');
      expect(err).toContain('in 1 rows: Beta/live lookup (all).');
    });

    it('has a row for each network', async () => {
      const { rows: found, err } = await october('--rate', 'USD=1600');
      const airtime = found.filter(({ service }) => service === 'airtime');
      expect(
        airtime.map(({ route, count, revenue, cost, difference }) => [
          route,
          count,
          revenue,
          cost,
          difference,
        ]),
      ).toEqual([
        ['9mobile', 1, '0.00', '96.00', '-96.00'],
        ['Glo', 2, '100.00', '0.00', ''],
        ['MTN', 2, '200.00', '198.00', '2.00'],
      ]);
      // A repeated attempt has the route of the accepted one.
      expect(found.filter(({ route }) => route === 'sms to MTN of Acme/live')).toMatchObject([
        { organisation: 'Beta/live', service: 'message', count: 1, cost: '3.000009', repeated: 2 },
      ]);
      expect(err).toContain('in 2 rows: Beta/live airtime 9mobile; Beta/live lookup (all).');
    });
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
