import type { Network } from '@gangan/contracts';
import { newId } from '@gangan/protocol';
import { HttpClients } from '@gangan/providers';
import { type FakeAirtime, reloadlyError } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Reloadly } from '../../src/providers/reloadly.js';
import { openReloadly, startReloadly } from '../support/open-adapters.js';

describe('Reloadly', () => {
  const clients = new HttpClients();
  let server: FakeAirtime;
  let reloadly: Reloadly;
  beforeAll(async () => {
    server = await startReloadly();
    reloadly = openReloadly(server.url, clients);
  });
  afterAll(async () => {
    await clients.close();
    await server.stop();
  });
  beforeEach(() => {
    server.payment = () => 'deliver';
    server.query = 'answer';
  });

  const topUp = (network: Network = 'MTN') => ({
    reference: newId(),
    network,
    recipient: '+2348031234567',
    kobo: 10_000n,
  });
  const submit = (values = topUp()) => reloadly.submit(values, AbortSignal.timeout(5_000));
  const query = (reference: string, providerReference: string | null = null) =>
    reloadly.query({ reference, providerReference }, AbortSignal.timeout(5_000));

  it('tops up in naira through the operator of the network', async () => {
    const values = topUp();
    const result = await submit(values);
    expect(result).toMatchObject({ kind: 'success', providerReference: expect.any(String) });
    const { body } = server.requests.at(-1) ?? { body: '' };
    expect(JSON.parse(body)).toEqual({
      operatorId: 341,
      amount: 100,
      useLocalAmount: true,
      customIdentifier: values.reference,
      recipientPhone: { countryCode: 'NG', number: '2348031234567' },
    });
  });

  it.each([
    ['Glo', 344],
    ['Airtel', 342],
    ['9mobile', 340],
  ] as const)(
    'tops up a ported number through %s, and reads the operators once',
    async (network, operator) => {
      expect(await submit(topUp(network))).toMatchObject({ kind: 'success' });
      const { body } = server.requests.at(-1) ?? { body: '' };
      expect(JSON.parse(body)).toMatchObject({ operatorId: operator });
      const lists = server.requests.filter(({ path = '' }) => path.startsWith('/operators/'));
      expect(lists).toHaveLength(1);
    },
  );

  it('declines a network that it does not sell', async () => {
    const values = topUp('NTEL');
    expect(await submit(values)).toMatchObject({ kind: 'declined', reason: { code: 'not_available' } });
    expect(server.payments.has(values.reference)).toBe(false);
  });

  it.each([
    ['COUNTRY_NOT_SUPPORTED', 'failed', 'not_available'],
    ['OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE', 'failed', 'not_available'],
    ['OPERATOR_NOT_IN_SERVICE', 'failed', 'not_available'],
    ['COULD_NOT_AUTO_DETECT_OPERATOR', 'declined', 'invalid_number'],
    ['INVALID_AMOUNT_FOR_OPERATOR', 'failed', 'invalid_amount'],
    ['INVALID_AMOUNT', 'failed', 'invalid_amount'],
    ['INVALID_RECIPIENT_PHONE', 'declined', 'invalid_number'],
    ['INVALID_SENDER_PHONE', 'failed', 'rejected'],
    ['INVALID_PHONE_NUMBER', 'declined', 'invalid_number'],
    ['PHONE_RECENTLY_RECHARGED', 'failed', 'recently_topped_up'],
    ['TOPUP_TRANSACTION_FAILED', 'failed', 'rejected'],
    ['TRANSACTION_CANNOT_BE_PROCESSED_AT_THE_MOMENT', 'unknown', undefined],
    ['INSUFFICIENT_BALANCE', 'refused', 'provider_unavailable'],
    ['MAX_DAILY_TRANSACTION_AMOUNT_REACHED', 'refused', 'provider_unavailable'],
    ['MAX_DAILY_TRANSACTION_COUNT_REACHED', 'refused', 'provider_unavailable'],
    ['ACCOUNT_NOT_FOUND', 'refused', 'provider_unavailable'],
    ['INACTIVE_ACCOUNT', 'refused', 'provider_unavailable'],
    ['TOKEN_EXPIRED', 'refused', 'provider_unavailable'],
    ['A_NEW_CODE', 'unknown', undefined],
  ])('reads the error %s as %s (%s)', async (code, kind, reason) => {
    server.payment = () => reloadlyError(400, code);
    const result = await submit();
    expect([result.kind, 'reason' in result ? result.reason.code : undefined]).toEqual([kind, reason]);
  });

  it.each([408, 500, 503])(
    'does not know the outcome after the status %s, which counts as no answer',
    async (status) => {
      server.payment = () => ({ status, body: 'Error' });
      expect(await submit()).toMatchObject({ kind: 'unknown', reason: { code: 'no_answer' } });
    },
  );

  it('searches the report by our reference after a lost answer', async () => {
    const [lost, dropped] = [topUp(), topUp()];
    server.payment = (reference) => (reference === lost.reference ? 'lose' : 'drop');
    expect(await submit(lost)).toMatchObject({ kind: 'unknown' });
    expect(await submit(dropped)).toMatchObject({ kind: 'unknown' });
    expect(await query(lost.reference)).toMatchObject({
      kind: 'success',
      providerReference: expect.any(String),
    });
    expect(await query(dropped.reference)).toEqual({ kind: 'not_found', finalAfterMs: 600_000 });
  });

  it('asks by their id if there is one', async () => {
    server.payment = () => 'pend';
    const values = topUp();
    const result = await submit(values);
    if (result.kind !== 'unknown') throw new Error(result.kind);
    expect(await query(values.reference, result.providerReference ?? null)).toMatchObject({
      kind: 'success',
    });
    server.query = 'pend';
    expect(await query(values.reference, result.providerReference ?? null)).toMatchObject({
      kind: 'unknown',
    });
  });

  it('refuses our account with wrong credentials; nothing was sent if it cannot be reached', async () => {
    const wrong = openReloadly(server.url, clients, { client_id: 'wrong-id', client_secret: 'wrong-secret' });
    expect(await wrong.submit(topUp(), AbortSignal.timeout(5_000))).toMatchObject({ kind: 'refused' });
    const unreachable = openReloadly('http://127.0.0.1:1', clients);
    expect(await unreachable.submit(topUp(), AbortSignal.timeout(5_000))).toMatchObject({ kind: 'not_sent' });
  });

  it('says what our credit is', async () => {
    expect(await reloadly.credit.ask()).toEqual({ micros: 550_750_000n, currency: 'USD' });
  });
});
