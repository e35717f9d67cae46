import { vtpassError, vtpassStatus } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { AdapterFixture } from '../support/adapter-fixture.js';
import { openVtpass, startVtpass, vtpassSecrets } from '../support/open-adapters.js';

describe('VTpass', () => {
  const adapter = AdapterFixture.use({
    start: startVtpass,
    open: openVtpass,
    wrongSecrets: { ...vtpassSecrets, secret_key: 'SK_wrong-secret-key' },
  });
  adapter.behavesAsAllAdapters({ micros: 100_000_000_000n, currency: 'NGN' });

  it('tops up a number', async () => {
    const values = adapter.topUp();
    expect(await adapter.submit(values)).toEqual({
      kind: 'success',
      providerReference: `17${values.reference}`,
    });
    const { body } = adapter.server.requests.at(-1) ?? { body: '' };
    expect(JSON.parse(body)).toEqual({
      request_id: values.reference,
      serviceID: 'mtn',
      amount: 100.5,
      phone: '08031234567',
    });
    expect(await adapter.query(values.reference)).toMatchObject({ kind: 'success' });
  });

  it('says what a purchase costs us, less its commission', async () => {
    const server = await startVtpass(undefined, undefined, 3);
    const provider = openVtpass(server.url, adapter.clients);
    const values = adapter.topUp();
    const cost = { micros: 97_480_000n, currency: 'NGN' };
    expect(await adapter.submit(values, provider)).toMatchObject({ kind: 'success', cost });
    expect(
      await provider.query(
        { reference: values.reference, providerReference: null },
        AbortSignal.timeout(5_000),
      ),
    ).toMatchObject({
      kind: 'success',
      cost,
    });
    await server.stop();
    const settled = openVtpass(server.url, adapter.clients, undefined, { MTN: '2.5', any: 4 });
    expect(settled.costOf('MTN', 10_050n)).toEqual({ micros: 97_987_500n, currency: 'NGN' });
    expect(settled.costOf('Glo', 1n)).toEqual({ micros: 9_600n, currency: 'NGN' });
    expect(adapter.provider.costOf('MTN', 10_050n)).toBeUndefined();
  });

  it('serves four of the networks', () => {
    const networks = ['Airtel', 'MTN', 'Glo', '9mobile', 'NTEL'] as const;
    expect(networks.map((network) => adapter.provider.serves(network))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it.each([
    ['010', 'failed', 'rejected'],
    ['011', 'failed', 'rejected'],
    ['012', 'declined', 'not_available'],
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
    ['034', 'declined', 'not_available'],
    ['035', 'declined', 'not_available'],
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
    expect(await adapter.resultOf(vtpassError(code))).toEqual([kind, reason]);
  });

  it.each([
    ['delivered', 'success'],
    ['initiated', 'unknown'],
    ['pending', 'unknown'],
    ['failed', 'failed'],
    ['reversed', 'failed'],
    ['resolved', 'unknown'],
  ])('reads the status %s of a processed payment as %s', async (status, kind) => {
    adapter.server.payment = (reference) => vtpassStatus(reference, status);
    expect(await adapter.submit()).toMatchObject({ kind });
  });

  it.each([vtpassError('000'), 'pend'] as const)(
    'does not know the outcome without a status or a code',
    async (payment) => {
      expect(await adapter.resultOf(payment)).toMatchObject({ 0: 'unknown' });
    },
  );

  it('is asked after a lost answer, and 015 means that it never received the payment', async () => {
    const [lost, dropped, refusal] = [adapter.topUp(), adapter.topUp(), adapter.topUp()];
    adapter.server.payment = (reference) =>
      reference === lost.reference ? 'lose' : reference === dropped.reference ? 'drop' : 'lose refusal';
    for (const values of [lost, dropped, refusal])
      expect(await adapter.submit(values)).toMatchObject({ kind: 'unknown' });
    expect(await adapter.query(lost.reference)).toMatchObject({ kind: 'success' });
    expect(await adapter.query(dropped.reference)).toEqual({ kind: 'not_found', finalAfterMs: 180_000 });
    expect(await adapter.query(refusal.reference)).toMatchObject({ kind: 'failed' });
    adapter.server.query = 'pend';
    expect(await adapter.query(lost.reference)).toMatchObject({ kind: 'unknown' });
  });
});
