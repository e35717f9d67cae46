import type { RequestOtpRequest } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { AppError, newContext, newId } from '@gangan/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { kindOf, TestOtp, tally, type Worker } from './support/test-otp.js';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/;

describe('requesting an OTP', () => {
  let fixture: TestOtp;
  let worker: Worker;
  beforeAll(async () => {
    fixture = await TestOtp.open();
    worker = await fixture.worker();
  });
  afterAll(() => fixture.close());
  afterEach(() => fixture.expectSoundLedger());

  it('responds after the OTP, its charge and its delivery are committed', async () => {
    const organisationId = await fixture.organisation();
    const context = newContext({ organisationId });
    const before = await fixture.available(organisationId);
    expect(await fixture.request(worker, organisationId, { recipient: '0803 123 4567' }, context)).toEqual({
      id: context.operationId,
      recipient: '0803 123 4567',
      status: 1,
      status_desc: 'SENT',
      created_datetime: expect.stringMatching(timestamp),
    });
    const delivery = await fixture.delivery(context.operationId);
    expect(delivery).toMatchObject({
      otpId: context.operationId,
      lane: 'otp',
      state: 'queued',
      recipient: '+2348031234567',
      pages: 1,
    });
    expect(delivery?.kobo).toBeGreaterThan(0n);
    expect(before - (await fixture.available(organisationId))).toBe(delivery?.kobo);
    expect(fixture.announced).toContain(context.operationId);
  });

  it.each([
    [{}, /^Your code is \d{4}\. It is valid for 15 min\./],
    [{ length: 8, expires_in: 1.5 }, /^Your code is \d{8}\. It is valid for 1\.5 min\./],
    [{ expires_in: 1.0166666 }, /It is valid for 1 min\./],
    [{ expires_in: 12.34 }, /It is valid for 12\.3 min\./],
    [{ token: '0042', length: 8 }, /^Your code is 0042\./],
  ])('sends the text that %j requests', async (wish, text) => {
    const organisationId = await fixture.organisation();
    expect((await fixture.text(await fixture.otp(worker, organisationId, wish))).text).toMatch(text);
  });

  it('uses the text and the template of the organisation, and charges each page', async () => {
    const organisationId = await fixture.organisation(
      {},
      { text: `{{code}}${'x'.repeat(200)}`, template_name: 'acme' },
    );
    const long = await fixture.otp(worker, organisationId);
    const [one, two] = [await fixture.otp(worker, await fixture.organisation()), long];
    expect((await fixture.delivery(two))?.pages).toBe(2);
    expect((await fixture.delivery(two))?.kobo).toBe(2n * ((await fixture.delivery(one))?.kobo ?? 0n));
    const whatsapp = await fixture.otp(worker, organisationId, { channel: 'whatsapp', token: '123456' });
    expect(await fixture.text(whatsapp)).toMatchObject({
      template: { name: 'acme', language: 'en', values: ['123456'] },
    });
    expect((await fixture.delivery(whatsapp))?.pages).toBe(1);
  });

  it('stores no readable token', async () => {
    const organisationId = await fixture.organisation();
    const id = await fixture.otp(worker, organisationId, { token: 'canary-4711' });
    const [row] = await fixture.database.query<{ text: string }>(sql`
      SELECT otp::text || delivery::text AS text FROM otp JOIN delivery ON otp_id = otp.id WHERE otp.id = ${id}`);
    expect(row?.text).toBeDefined();
    for (const form of ['canary-4711', Buffer.from('canary-4711').toString('hex')]) {
      expect(row?.text).not.toContain(form);
    }
    expect(Buffer.from((await fixture.delivery(id))?.sealedBody ?? '').toString('latin1')).not.toContain(
      '4711',
    );
  });

  it('accepts a balance that is just enough, and rejects one kobo less without a trace', async () => {
    const price =
      (await fixture.delivery(await fixture.otp(worker, await fixture.organisation())))?.kobo ?? 0n;
    const exact = await fixture.organisation({}, {}, price);
    expect(kindOf(await fixture.request(worker, exact))).toBe('200');
    const short = await fixture.organisation({}, {}, price - 1n);
    expect(kindOf(await fixture.request(worker, short))).toBe('402 insufficient_balance');
    expect(await fixture.count('otp', short)).toBe(0);
    expect(await fixture.count('delivery', short)).toBe(0);
    expect(await fixture.available(short)).toBe(price - 1n);
  });

  it('serves a batch with one statement without limits, and under one lock with a limit', async () => {
    const [free, capped] = [
      await fixture.organisation(),
      await fixture.organisation({ otpSendsPerRecipient: 5 }),
    ];
    // What is remembered of organisations is remembered before.
    await Promise.all([fixture.request(worker, free), fixture.request(worker, capped)]);
    const statements = jest.spyOn(fixture.database, 'run');
    const transactions = jest.spyOn(fixture.database, 'transaction');
    const ask = (organisationId: string) =>
      fixture.runBatch(fixture.contexts(organisationId, 64), (context, place) =>
        fixture.request(worker, organisationId, { recipient: `+23480311${10_000 + place}` }, context),
      );
    expect(tally(await ask(free))).toEqual({ 200: 64 });
    expect([statements.mock.calls.length, transactions.mock.calls.length]).toEqual([1, 0]);
    expect(tally(await ask(capped))).toEqual({ 200: 64 });
    expect([statements.mock.calls.length, transactions.mock.calls.length]).toEqual([1, 1]);
    statements.mockRestore();
    transactions.mockRestore();
    expect(await fixture.count('delivery', free)).toBe(65);
  });

  it.each([0, 2])('responds the same if the queue runs the request again (limit %d)', async (cap) => {
    const organisationId = await fixture.organisation({ otpSendsPerRecipient: cap });
    const context = newContext({ organisationId });
    const first = await fixture.request(worker, organisationId, {}, context);
    const text = await fixture.text(context.operationId);
    const available = await fixture.available(organisationId);
    for (let run = 0; run < 3; run += 1) {
      expect(await fixture.request(worker, organisationId, {}, context)).toEqual(first);
    }
    const twice = await fixture.runBatch([context, context], () =>
      fixture.request(worker, organisationId, {}, context),
    );
    expect(twice).toEqual([first, first]);
    expect(await fixture.text(context.operationId)).toEqual(text);
    expect(await fixture.available(organisationId)).toBe(available);
    expect(await fixture.count('delivery', organisationId)).toBe(1);
  });

  it('rejects an invalid number, although the gateway checks it first', async () => {
    const answer = await fixture.request(worker, await fixture.organisation(), { recipient: '112' });
    expect(answer).toMatchObject({ status: 400, fields: [{ field: 'recipient', type: 'phone' }] });
  });

  it('returns an accepted OTP even if its destination is no longer allowed', async () => {
    const organisationId = await fixture.organisation();
    const context = newContext({ organisationId });
    const first = await fixture.request(worker, organisationId, {}, context);
    await fixture.database.execute(sql`
      UPDATE organisation SET settings = '{"otp": {"countries": ["GH"]}}' WHERE id = ${organisationId}`);
    const fresh = await fixture.worker();
    expect(await fixture.request(fresh, organisationId, {}, context)).toEqual(first);
    expect(kindOf(await fixture.request(fresh, organisationId))).toBe('403 country_not_allowed');
  });

  it('rejects a live organisation without SIMULATE_LIVE, and stores and charges nothing', async () => {
    const live = await fixture.organisation({}, {}, 1_000_000n, 'live');
    const context = newContext({ organisationId: live });
    const request = (own = worker) => fixture.request(own, live, {}, context);
    expect(kindOf(await request())).toBe('503 unavailable');
    expect(await fixture.database.otp.count({ where: { organisationId: live } })).toBe(0);
    expect(await fixture.database.ledgerMovement.count({ where: { organisationId: live } })).toBe(1);
    const accepted = await request(await fixture.worker({}, true));
    expect(kindOf(accepted)).toBe('200');
    expect(await request()).toEqual(accepted);
  });

  it('is charged the price of OTPs, and stores and charges nothing without one', async () => {
    const organisationId = await fixture.organisation({}, {}, 10_000n, 'live');
    const { database } = fixture;
    await database.organisationPrice.deleteMany({ where: { organisationId } });
    await database.organisationPrice.createMany({
      data: [
        { organisationId, service: 'sms', category: '', prefix: '234', kobo: 400n },
        { organisationId, service: 'sms', category: 'otp', prefix: '234', kobo: 450n },
        { organisationId, service: 'sms', category: 'transactional', prefix: '44', kobo: 900n },
      ],
    });
    const own = await fixture.worker({}, true);
    const context = newContext({ organisationId });
    const refused = await fixture.request(own, organisationId, { recipient: '+447400123456' }, context);
    expect(refused).toMatchObject({
      ...{ status: 400, code: 'no_price' },
      fields: [
        {
          ...{ field: 'recipient', type: 'no_price' },
          message: 'recipient: there is no price for sms to GB; ask the operator to set one',
        },
      ],
    });
    const onWhatsApp: Partial<RequestOtpRequest> = { channel: 'whatsapp', fallback_channels: ['sms'] };
    expect(kindOf(await fixture.request(own, organisationId, onWhatsApp))).toBe('400 no_price');
    expect(await database.otp.count({ where: { organisationId } })).toBe(0);
    expect(await fixture.available(organisationId)).toBe(10_000n);
    const accepted = await fixture.request(own, organisationId, {}, context);
    expect(kindOf(accepted)).toBe('200');
    expect(await fixture.available(organisationId)).toBe(10_000n - 450n);
    // It was accepted, even if its price is removed before the queue runs it again.
    await database.organisationPrice.deleteMany({ where: { organisationId } });
    const other = await fixture.worker({}, true);
    expect(await fixture.request(other, organisationId, {}, context)).toEqual(accepted);
    expect(await fixture.available(organisationId)).toBe(10_000n - 450n);
  });

  it('accepts a live organisation if a route for OTPs to the recipient has a provider', async () => {
    const live = await fixture.organisation({}, {}, 1_000_000n, 'live');
    const own = await fixture.worker();
    const [providerId, routeId] = [newId(), newId()];
    await fixture.database.provider.create({
      data: {
        id: providerId,
        name: 'termii',
        kind: 'http',
        settings: {},
        domains: ['message'],
        channels: ['sms'],
      },
    });
    await fixture.database.route.create({
      data: {
        id: routeId,
        channel: 'sms',
        category: 'otp',
        country: 'NG',
        targets: { create: { providerId, position: 0 } },
      },
    });
    await own.routes.refresh();
    const kinds = async (recipient: string) => kindOf(await fixture.request(own, live, { recipient }));
    expect([await kinds('08031234567'), await kinds('+447911123456')]).toEqual(['200', '503 unavailable']);
    await fixture.database.provider.update({ where: { id: providerId }, data: { enabled: false } });
    await own.routes.refresh();
    expect(await kinds('08031234567')).toBe('503 unavailable');

    await fixture.database.provider.update({ where: { id: providerId }, data: { enabled: true } });
    await fixture.database.route.update({ where: { id: routeId }, data: { operator: 'MTN', country: null } });
    const importId = newId();
    await fixture.database.registryImport.create({
      data: { id: importId, registry: 'ported', mode: 'replace', state: 'active', source: 'test' },
    });
    const ported = { phone: '+2348031234568', importId, operator: 'Glo' };
    await fixture.database.portedNumber.create({ data: ported });
    await own.routes.refresh();
    const [served, notServed] = [await kinds('08031234567'), await kinds('08031234568')];
    expect([served, notServed]).toEqual(['200', '503 unavailable']);

    const data = { enabled: true, registeredSenders: true };
    await fixture.database.provider.update({ where: { id: providerId }, data });
    await own.routes.refresh();
    const before = await fixture.count('otp', live);
    expect(await kinds('08031234567')).toBe('400 invalid_request');
    expect(await fixture.count('otp', live)).toBe(before);
    const { defaultSender: sender } = await fixture.database.organisation.findUniqueOrThrow({
      where: { id: live },
    });
    await fixture.database.senderRegistration.create({
      data: { id: newId(), provider: 'termii', sender, status: 'approved' },
    });
    await own.routes.refresh();
    expect(await kinds('08031234567')).toBe('200');
  });

  it('rejects WhatsApp while no provider may send the template', async () => {
    const settings = { template_name: 'login_code', template_language: 'en' };
    const live = await fixture.organisation({}, settings, 1_000_000n, 'live');
    const own = await fixture.worker();
    const [providerId, channel] = [newId(), 'whatsapp' as const];
    const provider = {
      id: providerId,
      name: 'whatsapp',
      kind: 'whatsapp',
      settings: {},
      channels: [channel],
    };
    await fixture.database.provider.create({ data: { ...provider, domains: ['message'] } });
    await fixture.database.route.create({
      data: { id: newId(), channel, targets: { create: { providerId, position: 0 } } },
    });
    const kind = async (status: string) => {
      const template = { provider: 'whatsapp', name: 'login_code', language: 'en', status };
      await fixture.database.providerTemplate.deleteMany();
      await fixture.database.providerTemplate.create({ data: { ...template, syncedAt: new Date() } });
      await own.routes.refresh();
      return kindOf(await fixture.request(own, live, { channel }));
    };
    expect(await kind('PAUSED')).toBe('400 invalid_request');
    expect(await fixture.count('otp', live)).toBe(0);
    expect(await kind('APPROVED')).toBe('200');
  });

  it('counts requests and verifications by country', async () => {
    const own = await fixture.worker();
    const organisationId = await fixture.organisation();
    const id = await fixture.otp(own, organisationId, { recipient: '+233241234567', token: 'abcd' });
    await fixture.otp(own, organisationId, { recipient: '+233241234568' });
    expect(kindOf(await fixture.verify(own, organisationId, id, 'abcd'))).toBe('200');
    const metrics = await own.metrics.metrics();
    expect(metrics).toContain('gangan_otp_requested_total{channel="sms",country="GH"} 2');
    expect(metrics).toContain('gangan_otp_sends_total{channel="sms",country="GH"} 2');
    expect(metrics).toContain('gangan_otp_verified_total{channel="sms",country="GH"} 1');
  });

  it('counts the results of tokens, once per request', async () => {
    const own = await fixture.worker();
    const organisationId = await fixture.organisation();
    const id = await fixture.otp(own, organisationId, { token: 'right' });
    const [context] = fixture.contexts(organisationId, 1);
    for (let run = 0; run < 3; run += 1) await fixture.verify(own, organisationId, id, 'wrong', context);
    for (const token of ['right', 'right']) await fixture.verify(own, organisationId, id, token);
    await fixture.verify(own, organisationId, newId(), 'right');
    const metrics = await own.metrics.metrics();
    for (const outcome of ['mismatch', 'verified', 'already_verified', 'unknown_otp']) {
      expect(metrics).toContain(`gangan_otp_verifications_total{outcome="${outcome}"} 1`);
    }
  });

  it.each([{ countries: 'everywhere' }, { contries: ['NG'] }, ['NG'], null])(
    'sends nothing with the invalid settings %j',
    async (settings) => {
      const organisationId = await fixture.organisation({}, settings);
      await expect(fixture.request(worker, organisationId)).rejects.not.toBeInstanceOf(AppError);
      expect(await fixture.count('otp', organisationId)).toBe(0);
    },
  );
});
