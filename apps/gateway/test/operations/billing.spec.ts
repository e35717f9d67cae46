import { charge, type LedgerItem, refund, reserve } from '@gangan/billing';
import type { Ledger } from '@gangan/contracts';
import { openLedgerAccounts, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aDelivery, aMessage, anApiKey, anOrganisation, aPayment } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '../support/error-shape.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { type IssuedKey, GatewayFixture } from '../support/gateway-fixture.js';

describe('billing over HTTP', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
  });
  afterAll(() => fixture.stop());

  const customer = async (scope = 'billing:read'): Promise<IssuedKey> => {
    const issued = await fixture.issueKey({ scopes: [scope] });
    await openLedgerAccounts(fixture.database, issued.organisationId);
    return issued;
  };
  const member = ({ organisationId }: IssuedKey, kobo: bigint) => ({
    subjectId: newId(),
    organisationId,
    kobo,
  });
  const pay = ({ organisationId, kobo, ...payment }: LedgerItem) =>
    aPayment(fixture.database, organisationId, kobo, payment);
  const ask = (issued: IssuedKey, path: string) =>
    gateway.call({ path, headers: [['authorization', issued.key]] });
  const ledgerOf = async (issued: IssuedKey, query = ''): Promise<Ledger> => {
    const { status, json } = await ask(issued, `/ledger${query}`);
    expect(status).toBe(200);
    return json as Ledger;
  };

  it('returns the balance, to the kobo', async () => {
    const issued = await customer();
    expect(await ask(issued, '/balance')).toMatchObject({
      status: 200,
      json: { available_balance: 0, reserved: 0, currency: 'NGN' },
    });
    await pay(member(issued, 123_457n));
    await reserve(fixture.database, 'airtime', [member(issued, 7n)]);
    expect(await ask(issued, '/balance/')).toMatchObject({
      status: 200,
      json: { available_balance: 1234.5, reserved: 0.07, currency: 'NGN' },
    });
  });

  it('lists every change, newest first, of the own organisation only', async () => {
    const [issued, other] = [await customer(), await customer()];
    const payment = { ...member(issued, 10_000n), note: 'Bank transfer 4711' };
    const message = member(issued, 400n);
    const delivery = member(issued, 150n);
    await pay(payment);
    await pay(member(other, 77n));
    await charge(fixture.database, 'message', [message]);
    await aMessage(fixture.database, issued.organisationId, { id: message.subjectId });
    await aDelivery(fixture.database, issued.organisationId, {
      id: delivery.subjectId,
      messageId: message.subjectId,
    });
    await refund(fixture.database, [{ ...delivery, chargeId: message.subjectId }]);
    const { entries, meta } = await ledgerOf(issued);
    const common = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
    };
    expect(entries).toEqual([
      {
        ...common,
        kind: 'refund',
        service: 'sms',
        subject_id: delivery.subjectId,
        resource: `/sms/${message.subjectId}`,
        amount: 1.5,
        balance_after: 97.5,
      },
      {
        ...common,
        kind: 'charge',
        service: 'sms',
        subject_id: message.subjectId,
        resource: `/sms/${message.subjectId}`,
        amount: -4,
        balance_after: 96,
      },
      {
        ...common,
        kind: 'top_up',
        subject_id: payment.subjectId,
        amount: 100,
        balance_after: 100,
        note: payment.note,
      },
    ]);
    expect(meta).toEqual({ method: 'GET', resource: '/ledger', pagination: { limit: 50 } });
  });

  it('returns what money was spent on, and its address', async () => {
    const issued = await customer();
    await pay(member(issued, 1_000n));
    const [otp, purchase, lookup] = [member(issued, 1n), member(issued, 2n), member(issued, 3n)];
    await charge(fixture.database, 'otp', [otp]);
    await reserve(fixture.database, 'airtime', [purchase]);
    await charge(fixture.database, 'lookup', [lookup]);
    const { entries } = await ledgerOf(issued);
    expect(entries.map(({ service, resource }) => [service, resource])).toEqual([
      ['lookup', undefined],
      ['airtime', `/airtime/${purchase.subjectId}`],
      // It is not stored.
      ['otp', undefined],
      [undefined, undefined],
    ]);
  });

  it('shows the reference of a payment', async () => {
    const issued = await customer();
    const [payment, other] = [member(issued, 1_000n), member(issued, 2n)];
    await fixture.database.paymentReference.create({
      data: { subjectId: payment.subjectId, reference: 'INV-1042' },
    });
    await pay(payment);
    await pay(other);
    const { entries } = await ledgerOf(issued);
    expect(entries.map(({ subject_id: subject, reference }) => [subject, reference])).toEqual([
      [other.subjectId, undefined],
      [payment.subjectId, 'INV-1042'],
    ]);
  });

  it('pages the list without gaps and without an empty last page', async () => {
    const issued = await customer();
    await pay(member(issued, 1_000n));
    await charge(
      fixture.database,
      'message',
      Array.from({ length: 8 }, () => member(issued, 1n)),
    );
    const balances: number[] = [];
    const sizes: number[] = [];
    for (let next: string | undefined = ''; next !== undefined;) {
      const page: Ledger = await ledgerOf(issued, `?limit=3${next && `&before=${next}`}`);
      balances.push(...page.entries.map(({ balance_after }) => balance_after));
      sizes.push(page.entries.length);
      next = page.meta.pagination.next;
    }
    expect(sizes).toEqual([3, 3, 3]);
    expect(balances).toEqual([9.92, 9.93, 9.94, 9.95, 9.96, 9.97, 9.98, 9.99, 10]);
  });

  it('filters the list by kind and time', async () => {
    const issued = await customer();
    await pay(member(issued, 1_000n));
    await charge(fixture.database, 'message', [member(issued, 1n), member(issued, 2n)]);
    await pay({ ...member(issued, -5n), note: 'Counted twice' });
    const kindsOf = async (query: string) => (await ledgerOf(issued, query)).entries.map(({ kind }) => kind);
    expect(await kindsOf('?kind=charge')).toEqual(['charge', 'charge']);
    expect(await kindsOf('?kind=top_up')).toEqual(['top_up']);
    expect(await kindsOf('?kind=void')).toEqual([]);
    const [newest, , , oldest] = (await ledgerOf(issued)).entries.map(
      ({ created_datetime }) => created_datetime,
    );
    expect(await kindsOf(`?since=${encodeURIComponent(oldest ?? '')}`)).toHaveLength(4);
    expect(await kindsOf(`?since=${oldest ?? ''}`)).toHaveLength(4);
    expect(await kindsOf(`?until=${encodeURIComponent(oldest ?? '')}`)).toEqual([]);
    expect(await kindsOf(`?since=${newest ?? ''}&kind=adjustment`)).toEqual(['adjustment']);
    expect(await kindsOf('?since=9999-01-01')).toEqual([]);
    expect(await kindsOf('?until=0001-01-01')).toEqual([]);
  });

  it.each([
    ['limit=0', ['limit greater_than_equal']],
    ['limit=101', ['limit less_than_equal']],
    ['limit=1.5', ['limit integer_type']],
    ['limit=ten', ['limit integer_type']],
    ['limit=', ['limit integer_type']],
    ['limit=1&limit=2', ['limit integer_type']],
    ['before=newest', ['before value_error']],
    ['before=%00', ['before value_error']],
    ['kind=post', ['kind enum']],
    ['kind=charge&kind=void', ['kind enum']],
    ['since=yesterday', ['since date']],
    ['until=2026-02-30', ['until date']],
    ['limit=x&before=x&kind=x', ['limit integer_type', 'before value_error', 'kind enum']],
  ])('rejects ?%s', async (query, errors) => {
    expect(expectError(await ask(await customer(), `/ledger?${query}`), 400)).toEqual(errors);
  });

  it('lists the prices by service and prefix', async () => {
    const issued = await customer();
    const listed = { currency: 'NGN', meta: { method: 'GET', resource: '/prices' } };
    const others = [
      { service: 'whatsapp', prefix: '', price: 5 },
      { service: 'lookup', prefix: '', price: 0 },
    ];
    expect((await ask(issued, '/prices')).json).toEqual({
      prices: [{ service: 'sms', prefix: '', price: 4 }, ...others],
      ...listed,
    });
    await fixture.database.execute(sql`
      INSERT INTO price (service, category, prefix, kobo)
      VALUES ('sms', '', '44', 2055), ('sms', '', '234803', 350), ('sms', '', '234', 399), ('sms', 'otp', '234', 450)`);
    expect(await ask(issued, '/prices')).toMatchObject({
      status: 200,
      json: {
        prices: [
          { service: 'sms', prefix: '', price: 4 },
          { service: 'sms', prefix: '234', price: 3.99 },
          { service: 'sms', prefix: '234', category: 'otp', price: 4.5 },
          { service: 'sms', prefix: '234803', price: 3.5 },
          { service: 'sms', prefix: '44', price: 20.55 },
          ...others,
        ],
        ...listed,
      },
    });
  });

  it('lists no seeded prices to a live organisation', async () => {
    const { id } = await anOrganisation(fixture.database, { mode: 'live', hasPrices: false });
    const { key } = await anApiKey(fixture.database, id, { mode: 'live', scopes: ['billing:read'] });
    const { json } = await gateway.call({ path: '/prices', headers: [['Authorization', key]] });
    expect((json as { prices: object[] }).prices).not.toContainEqual(expect.objectContaining({ prefix: '' }));
  });

  it('lists the own prices of an organisation, which hide longer prefixes of the list', async () => {
    const [issued, other] = [await customer(), await customer()];
    await fixture.database.execute(sql`
      INSERT INTO organisation_price (organisation_id, service, prefix, kobo)
      VALUES (${issued.organisationId}::uuid, 'sms', '23480', 310)`);
    const pricesOf = async (caller: typeof issued) =>
      (await ask(caller, '/prices')).json as { prices: { service: string; prefix: string; price: number }[] };
    const own = (await pricesOf(issued)).prices.filter(({ service }) => service === 'sms');
    expect(own).toContainEqual({ service: 'sms', prefix: '23480', price: 3.1 });
    expect(own.map(({ prefix }) => prefix)).not.toContain('234803');
    expect((await pricesOf(other)).prices).not.toContainEqual(expect.objectContaining({ prefix: '23480' }));
  });

  it.each(['/balance', '/ledger', '/prices'])('requires the scope billing:read for %s', async (path) => {
    expectError(await ask(await customer('lookup:read'), path), 403);
    expectError(await gateway.call({ path }), 401);
  });

  it('responds 503 while the database is unavailable', async () => {
    const issued = await customer();
    await ask(issued, '/balance');
    await fixture.postgres.kill();
    try {
      for (const path of ['/balance', '/ledger', '/prices']) expectError(await ask(issued, path), 503);
    } finally {
      await fixture.postgres.restart();
    }
  });
});
