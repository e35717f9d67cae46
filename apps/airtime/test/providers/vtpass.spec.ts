import { newId } from '@gangan/protocol';
import { HttpClients } from '@gangan/providers';
import { type FakeAirtime, vtpassStatus } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Vtpass } from '../../src/providers/vtpass.js';
import { openVtpass, startVtpass, vtpassSecrets } from '../support/open-adapters.js';

const codeOf = (code: string, status = 200) => ({ status, body: { code, response_description: code } });

describe('VTpass', () => {
  const clients = new HttpClients();
  let server: FakeAirtime;
  let vtpass: Vtpass;
  beforeAll(async () => {
    server = await startVtpass();
    vtpass = openVtpass(server.url, clients);
  });
  afterAll(async () => {
    await clients.close();
    await server.stop();
  });
  beforeEach(() => {
    server.payment = () => 'deliver';
    server.query = 'answer';
  });

  const topUp = () => ({
    reference: vtpass.referenceFor(newId(), new Date()),
    network: 'MTN' as const,
    recipient: '+2348031234567',
    kobo: 10_050n,
  });
  const submit = (values = topUp()) => vtpass.submit(values, AbortSignal.timeout(5_000));
  const query = (reference: string) =>
    vtpass.query({ reference, providerReference: null }, AbortSignal.timeout(5_000));

  it('tops up a number', async () => {
    const values = topUp();
    expect(await submit(values)).toEqual({ kind: 'success', providerReference: `17${values.reference}` });
    const { body } = server.requests.at(-1) ?? { body: '' };
    expect(JSON.parse(body)).toEqual({
      request_id: values.reference,
      serviceID: 'mtn',
      amount: 100.5,
      phone: '08031234567',
    });
    expect(await query(values.reference)).toMatchObject({ kind: 'success' });
  });

  it('serves four of the networks', () => {
    const networks = ['Airtel', 'MTN', 'Glo', '9mobile', 'NTEL'] as const;
    expect(networks.map((network) => vtpass.serves(network))).toEqual([true, true, true, true, false]);
  });

  it.each([
    ['010', 'failed', 'rejected'],
    ['011', 'failed', 'rejected'],
    ['012', 'failed', 'not_available'],
    ['013', 'failed', 'invalid_amount'],
    ['014', 'unknown', undefined],
    ['016', 'failed', 'rejected'],
    ['017', 'failed', 'invalid_amount'],
    ['018', 'refused', 'provider_unavailable'],
    ['019', 'unknown', undefined],
    ['020', 'unknown', undefined],
    ['021', 'refused', 'provider_unavailable'],
    ['022', 'refused', 'provider_unavailable'],
    ['023', 'refused', 'provider_unavailable'],
    ['024', 'refused', 'provider_unavailable'],
    ['027', 'refused', 'provider_unavailable'],
    ['028', 'refused', 'provider_unavailable'],
    ['030', 'unknown', undefined],
    ['031', 'failed', 'invalid_amount'],
    ['032', 'failed', 'invalid_amount'],
    ['034', 'failed', 'not_available'],
    ['035', 'failed', 'not_available'],
    ['040', 'unknown', undefined],
    ['044', 'unknown', undefined],
    ['083', 'unknown', undefined],
    ['085', 'refused', 'provider_unavailable'],
    ['087', 'refused', 'provider_unavailable'],
    ['089', 'unknown', undefined],
    ['091', 'failed', 'rejected'],
    ['099', 'unknown', undefined],
    ['777', 'unknown', undefined],
  ])('reads the code %s of a payment as %s (%s)', async (code, kind, reason) => {
    server.payment = () => codeOf(code);
    const result = await submit();
    expect([result.kind, 'reason' in result ? result.reason.code : undefined]).toEqual([kind, reason]);
  });

  it.each([
    ['delivered', 'success'],
    ['initiated', 'unknown'],
    ['pending', 'unknown'],
    ['failed', 'failed'],
    ['reversed', 'failed'],
    ['resolved', 'unknown'],
  ])('reads the status %s of a processed payment as %s', async (status, kind) => {
    server.payment = (reference) => vtpassStatus(reference, status);
    expect(await submit()).toMatchObject({ kind });
  });

  it('does not know the outcome without a status, a code or an answer', async () => {
    const kinds: string[] = [];
    const answers = [codeOf('000'), { status: 200, body: '<html>' }, { status: 500, body: 'Error' }] as const;
    for (const payment of [...answers, 'lose', 'drop', 'pend'] as const) {
      server.payment = () => payment;
      kinds.push((await submit()).kind);
    }
    expect(new Set(kinds)).toEqual(new Set(['unknown']));
  });

  it.each([408, 500, 503])(
    'does not know the outcome after the status %s, which counts as no answer',
    async (status) => {
      server.payment = () => ({ status, body: 'Error' });
      expect(await submit()).toMatchObject({ kind: 'unknown', reason: { code: 'no_answer' } });
    },
  );

  it('refuses our account with wrong keys, and says so for a query only as unknown', async () => {
    const wrong = openVtpass(server.url, clients, { ...vtpassSecrets, secret_key: 'SK_wrong-secret-key' });
    expect(await wrong.submit(topUp(), AbortSignal.timeout(5_000))).toMatchObject({ kind: 'refused' });
    const asked = { reference: 'x', providerReference: null };
    expect(await wrong.query(asked, AbortSignal.timeout(5_000))).toEqual({ kind: 'unknown' });
  });

  it('was not reached if nothing listens, or if there is no time left', async () => {
    const unreachable = openVtpass('http://127.0.0.1:1/api', clients);
    expect(await unreachable.submit(topUp(), AbortSignal.timeout(5_000))).toMatchObject({ kind: 'not_sent' });
    expect(await vtpass.submit(topUp(), AbortSignal.abort())).toMatchObject({ kind: 'not_sent' });
  });

  it('is asked after a lost answer; 015 means that it never received the payment', async () => {
    const [lost, dropped, refusal] = [topUp(), topUp(), topUp()];
    server.payment = (reference) =>
      reference === lost.reference ? 'lose' : reference === dropped.reference ? 'drop' : 'lose refusal';
    for (const values of [lost, dropped, refusal])
      expect(await submit(values)).toMatchObject({ kind: 'unknown' });
    expect(await query(lost.reference)).toMatchObject({ kind: 'success' });
    expect(await query(dropped.reference)).toEqual({ kind: 'not_found', finalAfterMs: 180_000 });
    expect(await query(refusal.reference)).toMatchObject({ kind: 'failed' });
    server.query = 'pend';
    expect(await query(lost.reference)).toMatchObject({ kind: 'unknown' });
  });

  it('says what our credit is', async () => {
    expect(await vtpass.credit.ask()).toEqual({ micros: 100_000_000_000n, currency: 'NGN' });
  });
});
