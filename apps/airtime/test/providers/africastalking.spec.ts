import { africasTalkingFailure } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { AdapterFixture } from '../support/adapter-fixture.js';
import { openAfricasTalking, startAfricasTalking } from '../support/open-adapters.js';

describe("Africa's Talking", () => {
  const adapter = AdapterFixture.use({
    start: startAfricasTalking,
    open: openAfricasTalking,
    wrongSecrets: { api_key: 'a-wrong-api-key' },
  });
  adapter.behavesAsAllAdapters({ micros: 1_785_500_000n, currency: 'NGN' });
  const query = (providerReference: string | null) => adapter.query('any', providerReference);

  it('gets the amount with our reference as the idempotency key, and is asked by its id', async () => {
    const values = adapter.topUp();
    const providerReference = `ATQid_${values.reference}`;
    // 100.50 naira less the discount.
    const cost = { micros: 96_480_000n, currency: 'NGN' };
    expect(await adapter.submit(values)).toEqual({ kind: 'unknown', providerReference, cost });
    const { body = '', headers } = adapter.server.requests.at(-1) ?? {};
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      username: 'acme',
      recipients: '[{"phoneNumber":"+2348031234567","amount":"NGN 100.50"}]',
    });
    expect(headers?.['idempotency-key']).toBe(values.reference);
    expect(await query(providerReference)).toEqual({ kind: 'success' });
    adapter.server.query = 'pend';
    expect(await query(providerReference)).toEqual({ kind: 'unknown' });
  });

  it('declines a data bundle', async () => {
    const values = { ...adapter.topUp(), product: '345:local:500.00' };
    expect(await adapter.submit(values)).toMatchObject({
      kind: 'declined',
      reason: { code: 'not_available' },
    });
    expect(adapter.server.payments.has(values.reference)).toBe(false);
  });

  it.each([
    ['Value Outside The Allowed Limits', 'failed', 'rejected'],
    ['Invalid Phone Number', 'failed', 'invalid_number'],
    ['Insufficient Balance', 'refused', 'provider_unavailable'],
    ['A duplicate request was received within the last 5 minutes', 'unknown', undefined],
  ])('reads the error "%s" as %s (%s)', async (message, kind, reason) => {
    expect(await adapter.resultOf(africasTalkingFailure(message))).toEqual([kind, reason]);
  });

  it.each([201, 500])(
    'stores the id of an answer with status %s that does not say "Sent"',
    async (status) => {
      adapter.server.payment = () => ({
        status,
        body: { numSent: 1, responses: [{ status: 'Queued', requestId: 'ATQid_1' }] },
      });
      expect(await adapter.submit()).toMatchObject({ kind: 'unknown', providerReference: 'ATQid_1' });
    },
  );

  it('has no result without an id, or for an unknown one', async () => {
    expect(await query(null)).toEqual({ kind: 'unknown' });
    expect(await query('ATQid_of-nothing')).toEqual({ kind: 'unknown' });
  });
});
