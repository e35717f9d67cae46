import { newId } from '@gangan/protocol';
import { HttpClients } from '@gangan/providers';
import { africasTalkingFailure, type FakeAirtime } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AfricasTalking } from '../../src/providers/africastalking.js';
import { openAfricasTalking, startAfricasTalking } from '../support/open-adapters.js';

describe("Africa's Talking", () => {
  const clients = new HttpClients();
  let server: FakeAirtime;
  let provider: AfricasTalking;
  beforeAll(async () => {
    server = await startAfricasTalking();
    provider = openAfricasTalking(server.url, clients);
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
    reference: newId(),
    network: 'MTN' as const,
    recipient: '+2348031234567',
    kobo: 10_050n,
  });
  const submit = (values = topUp()) => provider.submit(values, AbortSignal.timeout(5_000));
  const query = (providerReference: string | null) =>
    provider.query({ reference: newId(), providerReference }, AbortSignal.timeout(5_000));

  it('sends the amount with our reference as the idempotency key, and is asked by its id', async () => {
    const values = topUp();
    const providerReference = `ATQid_${values.reference}`;
    expect(await submit(values)).toEqual({ kind: 'unknown', providerReference });
    const { body = '', headers } = server.requests.at(-1) ?? {};
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      username: 'acme',
      recipients: '[{"phoneNumber":"+2348031234567","amount":"NGN 100.50"}]',
    });
    expect(headers?.['idempotency-key']).toBe(values.reference);
    expect(await query(providerReference)).toEqual({ kind: 'success' });
    server.query = 'pend';
    expect(await query(providerReference)).toEqual({ kind: 'unknown' });
  });

  it.each([
    ['Value Outside The Allowed Limits', 'failed', 'rejected'],
    ['Invalid Phone Number', 'failed', 'invalid_number'],
    ['Insufficient Balance', 'refused', 'provider_unavailable'],
    ['A duplicate request was received within the last 5 minutes', 'unknown', undefined],
  ])('reads the error "%s" as %s (%s)', async (message, kind, reason) => {
    server.payment = () => africasTalkingFailure(message);
    const result = await submit();
    expect([result.kind, 'reason' in result ? result.reason.code : undefined]).toEqual([kind, reason]);
  });

  it.each([201, 500])(
    'keeps its id if the answer with status %s has one but does not say "Sent"',
    async (status) => {
      server.payment = () => ({
        status,
        body: { numSent: 1, responses: [{ status: 'Queued', requestId: 'ATQid_1' }] },
      });
      expect(await submit()).toMatchObject({ kind: 'unknown', providerReference: 'ATQid_1' });
    },
  );

  it('does not know the outcome without an answer that can be read', async () => {
    const kinds: string[] = [];
    for (const payment of [
      'lose',
      'drop',
      { status: 500, body: 'Error' },
      { status: 200, body: '<html>' },
    ] as const) {
      server.payment = () => payment;
      kinds.push((await submit()).kind);
    }
    expect(new Set(kinds)).toEqual(new Set(['unknown']));
    expect(await query(null)).toEqual({ kind: 'unknown' });
    expect(await query('ATQid_of-nothing')).toEqual({ kind: 'unknown' });
  });

  it.each([408, 500, 503])(
    'does not know the outcome after the status %s, which counts as no answer',
    async (status) => {
      server.payment = () => ({ status, body: 'Error' });
      expect(await submit()).toMatchObject({ kind: 'unknown', reason: { code: 'no_answer' } });
    },
  );

  it('refuses our account with a wrong key; nothing was sent if it cannot be reached', async () => {
    const wrong = openAfricasTalking(server.url, clients, { api_key: 'a-wrong-api-key' });
    expect(await wrong.submit(topUp(), AbortSignal.timeout(5_000))).toMatchObject({ kind: 'refused' });
    const unreachable = openAfricasTalking('http://127.0.0.1:1/version1', clients);
    expect(await unreachable.submit(topUp(), AbortSignal.timeout(5_000))).toMatchObject({ kind: 'not_sent' });
  });

  it('says what our credit is', async () => {
    expect(await provider.credit.ask()).toEqual({ micros: 1_785_500_000n, currency: 'NGN' });
  });
});
