import { sql } from '@gangan/database';
import { AppError, newContext, newId } from '@gangan/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { kindOf, Office, tally, type Worker } from './support/office.js';

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/;

describe('requesting an OTP', () => {
  let office: Office;
  let worker: Worker;
  beforeAll(async () => {
    office = await Office.open();
    worker = office.worker();
  }, 60_000);
  afterAll(() => office.close());
  afterEach(() => office.expectSoundLedger());

  it('answers as specified, once it, its charge and its delivery are committed', async () => {
    const organisationId = await office.organisation();
    const context = newContext({ organisationId });
    const before = await office.available(organisationId);
    expect(await office.request(worker, organisationId, { recipient: '0803 123 4567' }, context)).toEqual({
      id: context.operationId,
      recipient: '0803 123 4567',
      status: 1,
      status_desc: 'SENT',
      created_datetime: expect.stringMatching(timestamp),
    });
    const delivery = await office.delivery(context.operationId);
    expect(delivery).toMatchObject({
      otpId: context.operationId,
      lane: 'otp',
      state: 'queued',
      recipient: '+2348031234567',
      pages: 1,
    });
    expect(delivery?.kobo).toBeGreaterThan(0n);
    expect(before - (await office.available(organisationId))).toBe(delivery?.kobo);
    expect(office.announced).toContain(context.operationId);
  });

  it.each([
    [{}, /^Your code is \d{4}\. It is valid for 15 min\./],
    [{ length: 8, expires_in: 1.5 }, /^Your code is \d{8}\. It is valid for 1\.5 min\./],
    [{ expires_in: 1.0166666 }, /It is valid for 1 min\./],
    [{ expires_in: 12.34 }, /It is valid for 12\.3 min\./],
    [{ token: '0042', length: 8 }, /^Your code is 0042\./],
  ])('sends what %j says', async (wish, text) => {
    const organisationId = await office.organisation();
    expect((await office.text(await office.otp(worker, organisationId, wish))).text).toMatch(text);
  });

  it('uses the text and the template of the organisation, and charges each page of it', async () => {
    const organisationId = await office.organisation(
      {},
      { text: `{{code}}${'x'.repeat(200)}`, template_name: 'acme' },
    );
    const long = await office.otp(worker, organisationId);
    const [one, two] = [await office.otp(worker, await office.organisation()), long];
    expect((await office.delivery(two))?.pages).toBe(2);
    expect((await office.delivery(two))?.kobo).toBe(2n * ((await office.delivery(one))?.kobo ?? 0n));
    const whatsapp = await office.otp(worker, organisationId, { channel: 'whatsapp', token: '123456' });
    expect(await office.text(whatsapp)).toMatchObject({
      template: { name: 'acme', language: 'en', values: ['123456'] },
    });
    expect((await office.delivery(whatsapp))?.pages).toBe(1);
  });

  it('shows nothing of the token in the database', async () => {
    const organisationId = await office.organisation();
    const id = await office.otp(worker, organisationId, { token: 'canary-4711' });
    const [row] = await office.database.query<{ text: string }>(sql`
      SELECT otp::text || delivery::text AS text FROM otp JOIN delivery ON otp_id = otp.id WHERE otp.id = ${id}`);
    expect(row?.text).toBeDefined();
    for (const form of ['canary-4711', Buffer.from('canary-4711').toString('hex')]) {
      expect(row?.text).not.toContain(form);
    }
    expect(Buffer.from((await office.delivery(id))?.sealedBody ?? '').toString('latin1')).not.toContain(
      '4711',
    );
  });

  it('takes exactly what is there, and refuses one kobo less without a trace', async () => {
    const price = (await office.delivery(await office.otp(worker, await office.organisation())))?.kobo ?? 0n;
    const exact = await office.organisation({}, {}, price);
    expect(kindOf(await office.request(worker, exact))).toBe('200');
    const short = await office.organisation({}, {}, price - 1n);
    expect(kindOf(await office.request(worker, short))).toBe('402 insufficient_balance');
    expect(await office.count('otp', short)).toBe(0);
    expect(await office.count('delivery', short)).toBe(0);
    expect(await office.available(short)).toBe(price - 1n);
  });

  it('serves a batch with one statement where no cap is on, and under one lock where one is', async () => {
    const [free, capped] = [
      await office.organisation(),
      await office.organisation({ otpSendsPerRecipient: 5 }),
    ];
    // What is remembered of organisations is remembered before.
    await Promise.all([office.request(worker, free), office.request(worker, capped)]);
    const statements = jest.spyOn(office.database, 'run');
    const transactions = jest.spyOn(office.database, 'transaction');
    const ask = (organisationId: string) =>
      office.together(office.contexts(organisationId, 64), (context, place) =>
        office.request(worker, organisationId, { recipient: `+23480311${10_000 + place}` }, context),
      );
    expect(tally(await ask(free))).toEqual({ 200: 64 });
    expect([statements.mock.calls.length, transactions.mock.calls.length]).toEqual([1, 0]);
    expect(tally(await ask(capped))).toEqual({ 200: 64 });
    expect([statements.mock.calls.length, transactions.mock.calls.length]).toEqual([1, 1]);
    statements.mockRestore();
    transactions.mockRestore();
    expect(await office.count('delivery', free)).toBe(65);
  });

  it.each([0, 2])('run again by the queue (cap %d), meets its own row and answers the same', async (cap) => {
    const organisationId = await office.organisation({ otpSendsPerRecipient: cap });
    const context = newContext({ organisationId });
    const first = await office.request(worker, organisationId, {}, context);
    const text = await office.text(context.operationId);
    const available = await office.available(organisationId);
    for (let run = 0; run < 3; run += 1) {
      expect(await office.request(worker, organisationId, {}, context)).toEqual(first);
    }
    const twice = await office.together([context, context], () =>
      office.request(worker, organisationId, {}, context),
    );
    expect(twice).toEqual([first, first]);
    expect(await office.text(context.operationId)).toEqual(text);
    expect(await office.available(organisationId)).toBe(available);
    expect(await office.count('delivery', organisationId)).toBe(1);
  });

  it('refuses a number that is none, though a gateway should have done so', async () => {
    const answer = await office.request(worker, await office.organisation(), { recipient: '112' });
    expect(answer).toMatchObject({ status: 400, fields: [{ field: 'recipient', type: 'phone' }] });
  });

  it('stays accepted when its organisation has narrowed where OTPs go meanwhile', async () => {
    const organisationId = await office.organisation();
    const context = newContext({ organisationId });
    const first = await office.request(worker, organisationId, {}, context);
    await office.database.execute(sql`
      UPDATE organisation SET settings = '{"otp": {"countries": ["GH"]}}' WHERE id = ${organisationId}`);
    const fresh = office.worker();
    expect(await office.request(fresh, organisationId, {}, context)).toEqual(first);
    expect(kindOf(await office.request(fresh, organisationId))).toBe('403 country_not_allowed');
  });

  it('is not accepted where nobody could deliver it: live, in production, without a provider', async () => {
    const production = office.worker({}, 'production');
    const live = await office.organisation({}, {}, 1_000_000n, 'live');
    expect(kindOf(await office.request(production, live))).toBe('503 unavailable');
    expect(kindOf(await office.request(production, await office.organisation()))).toBe('200');
    expect(kindOf(await office.request(worker, live))).toBe('200');
  });

  it('counts requests and verifications by country', async () => {
    const own = office.worker();
    const organisationId = await office.organisation();
    const id = await office.otp(own, organisationId, { recipient: '+233241234567', token: 'abcd' });
    await office.otp(own, organisationId, { recipient: '+233241234568' });
    expect(kindOf(await office.verify(own, organisationId, id, 'abcd'))).toBe('200');
    const metrics = await own.metrics.metrics();
    expect(metrics).toContain('gangan_otp_requested_total{country="GH"} 2');
    expect(metrics).toContain('gangan_otp_verified_total{country="GH"} 1');
  });

  it('counts what comes of tokens, once however often the queue runs a request', async () => {
    const own = office.worker();
    const organisationId = await office.organisation();
    const id = await office.otp(own, organisationId, { token: 'right' });
    const [context] = office.contexts(organisationId, 1);
    for (let run = 0; run < 3; run += 1) await office.verify(own, organisationId, id, 'wrong', context);
    for (const token of ['right', 'right']) await office.verify(own, organisationId, id, token);
    await office.verify(own, organisationId, newId(), 'right');
    const metrics = await own.metrics.metrics();
    for (const outcome of ['mismatch', 'verified', 'already_verified', 'unknown_otp']) {
      expect(metrics).toContain(`gangan_otp_verifications_total{outcome="${outcome}"} 1`);
    }
  });

  it.each([{ countries: 'everywhere' }, { contries: ['NG'] }, ['NG'], null])(
    'does not send with settings that nobody understands: %j',
    async (settings) => {
      const organisationId = await office.organisation({}, settings);
      await expect(office.request(worker, organisationId)).rejects.not.toBeInstanceOf(AppError);
      expect(await office.count('otp', organisationId)).toBe(0);
    },
  );
});
