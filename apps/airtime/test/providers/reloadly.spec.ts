import { HttpClients } from '@gangan/providers';
import { reloadlyError, type ReloadlyOperator, reloadlyOperators } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { AdapterFixture } from '../support/adapter-fixture.js';
import { openReloadly, startReloadly } from '../support/open-adapters.js';

describe('Reloadly', () => {
  const adapter = AdapterFixture.use({
    start: startReloadly,
    open: openReloadly,
    wrongSecrets: { client_id: 'wrong-id', client_secret: 'wrong-secret' },
  });
  adapter.behavesAsAllAdapters({ micros: 550_750_000n, currency: 'USD' });

  it('tops up in naira through the operator of the network', async () => {
    const values = adapter.topUp();
    const result = await adapter.submit(values);
    expect(result).toMatchObject({ kind: 'success', providerReference: expect.any(String) });
    const { body } = adapter.server.requests.at(-1) ?? { body: '' };
    expect(JSON.parse(body)).toEqual({
      operatorId: 341,
      amount: 100.5,
      useLocalAmount: true,
      customIdentifier: values.reference,
      recipientPhone: { countryCode: 'NG', number: '2348031234567' },
    });
    // 100.50 naira at 1,600 a dollar, less 4 percent.
    const cost = { micros: 60_300n, currency: 'USD' };
    const id = 'providerReference' in result ? (result.providerReference ?? '') : '';
    expect([
      result,
      await adapter.query(values.reference),
      await adapter.query(values.reference, id),
    ]).toMatchObject([{ cost }, { cost }, { cost }]);
  });

  it.each([
    [{ balanceInfo: { cost: 3_105.032, currencyCode: 'NGN' } }, 3_105_032_000n],
    [{ fee: 1 }, 97_000_000n],
    [{ discountCurrencyCode: 'USD' }, undefined],
    [{ discount: 101 }, undefined],
    [{ requestedAmount: undefined }, undefined],
  ])(
    'reads what a top-up cost from its balance, or from the amount and the discount: %j',
    async (change, micros) => {
      const transaction = {
        status: 'SUCCESSFUL',
        transactionId: 7,
        ...{
          requestedAmount: 100,
          requestedAmountCurrencyCode: 'NGN',
          discount: 4,
          discountCurrencyCode: 'NGN',
        },
        ...change,
      };
      adapter.server.payment = () => ({ status: 200, body: transaction });
      expect(await adapter.submit()).toEqual({
        kind: 'success',
        providerReference: '7',
        ...(micros !== undefined && { cost: { micros, currency: 'NGN' } }),
      });
    },
  );

  it.each([
    ['Glo', 344],
    ['Airtel', 342],
    ['9mobile', 340],
  ] as const)(
    'tops up a ported number through %s, and reads the operators once',
    async (network, operator) => {
      expect(await adapter.submit(adapter.topUp(network))).toMatchObject({ kind: 'success' });
      const { body } = adapter.server.requests.at(-1) ?? { body: '' };
      expect(JSON.parse(body)).toMatchObject({ operatorId: operator });
      const lists = () =>
        adapter.server.requests.filter(({ path = '' }) => path.startsWith('/operators/')).length;
      const before = lists();
      await adapter.submit(adapter.topUp(network));
      expect(lists()).toBe(before);
    },
  );

  it('declines a network that it does not sell', async () => {
    const values = adapter.topUp('NTEL');
    expect(await adapter.submit(values)).toMatchObject({
      kind: 'declined',
      reason: { code: 'not_available' },
    });
    expect(adapter.server.payments.has(values.reference)).toBe(false);
  });

  it('counts as unreachable if it lists no operators, and reads them again', async () => {
    const [operators, clients] = [reloadlyOperators(), new HttpClients()];
    const server = await startReloadly(operators);
    const provider = openReloadly(server.url, clients);
    operators.length = 0;
    expect(await adapter.submit(adapter.topUp(), provider)).toMatchObject({ kind: 'not_sent' });
    const isMtn = ({ name }: ReloadlyOperator) => name.startsWith('MTN');
    operators.push(
      ...reloadlyOperators().map((one) => ({ ...one, status: isMtn(one) ? 'INACTIVE' : 'ACTIVE' })),
    );
    expect(await adapter.submit(adapter.topUp('Glo'), provider)).toMatchObject({ kind: 'success' });
    expect(await adapter.submit(adapter.topUp(), provider)).toMatchObject({
      kind: 'declined',
      reason: { code: 'not_available' },
    });
    await clients.close();
    await server.stop();
  });

  it.each(['mtn-100mb-1000', '345', '345:dollar:500.00', ':local:500.00', '-1:local:500.00', 'x:local:5.00'])(
    'declines the invalid bundle code %s',
    async (product) => {
      const values = { ...adapter.topUp(), product };
      expect(await adapter.submit(values)).toMatchObject({
        kind: 'declined',
        reason: { code: 'not_available' },
      });
      expect(adapter.server.payments.has(values.reference)).toBe(false);
    },
  );

  it.each([
    ['COUNTRY_NOT_SUPPORTED', 'declined', 'not_available'],
    ['OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE', 'declined', 'not_available'],
    ['OPERATOR_NOT_IN_SERVICE', 'declined', 'not_available'],
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
    expect(await adapter.resultOf(reloadlyError(400, code))).toEqual([kind, reason]);
  });

  it('searches the report by our reference after a lost answer', async () => {
    const [lost, dropped] = [adapter.topUp(), adapter.topUp()];
    adapter.server.payment = (reference) => (reference === lost.reference ? 'lose' : 'drop');
    expect(await adapter.submit(lost)).toMatchObject({ kind: 'unknown' });
    expect(await adapter.submit(dropped)).toMatchObject({ kind: 'unknown' });
    expect(await adapter.query(lost.reference)).toMatchObject({
      kind: 'success',
      providerReference: expect.any(String),
    });
    expect(await adapter.query(dropped.reference)).toEqual({ kind: 'not_found', finalAfterMs: 600_000 });
  });

  it('is asked by its own id if there is one', async () => {
    adapter.server.payment = () => 'pend';
    const values = adapter.topUp();
    const result = await adapter.submit(values);
    if (result.kind !== 'unknown') throw new Error(result.kind);
    expect(await adapter.query(values.reference, result.providerReference ?? null)).toMatchObject({
      kind: 'success',
    });
    adapter.server.query = 'pend';
    expect(await adapter.query(values.reference, result.providerReference ?? null)).toMatchObject({
      kind: 'unknown',
    });
  });
});
