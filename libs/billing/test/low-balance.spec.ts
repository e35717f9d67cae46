import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { anEndpoint, aPayment } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { charge, reserve } from '../src/index.js';
import { Treasury } from './support/treasury.js';

describe('a low balance', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open();
  });
  afterAll(() => treasury.close());

  const item = (organisationId: string, kobo: bigint) => ({ subjectId: newId(), organisationId, kobo });
  const pay = (organisationId: string, kobo: bigint) =>
    charge(treasury.database, 'message', [item(organisationId, kobo)]);
  const setThreshold = (organisationId: string, kobo: bigint | null) =>
    treasury.database.ledgerAccount.updateMany({
      where: { organisationId, kind: 'wallet' },
      data: { lowBalanceKobo: kobo },
    });
  const reports = async (organisationId: string) => {
    const rows = await treasury.database.callback.findMany({
      where: { organisationId },
      orderBy: { id: 'asc' },
    });
    return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) as { data: object } }));
  };
  const organisation = async (kobo: bigint): Promise<string> => {
    const id = await treasury.organisation(kobo);
    await anEndpoint(treasury.database, id, { events: ['balance.low'] });
    await setThreshold(id, 5_000n);
    return id;
  };

  it('is reported once, and again only after the balance was at the threshold', async () => {
    const id = await organisation(10_000n);
    await pay(id, 5_000n);
    expect(await reports(id)).toEqual([]);
    await pay(id, 50n);
    await pay(id, 50n);
    expect(await reports(id)).toMatchObject([
      {
        type: 'balance.low',
        resourceId: id,
        state: 'pending',
        body: {
          type: 'balance.low',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
          data: { available_balance: 49.5, threshold: 50, currency: 'NGN' },
        },
      },
    ]);
    await aPayment(treasury.database, id, 10_000n);
    expect(await reports(id)).toHaveLength(1);
    await reserve(treasury.database, 'airtime', [item(id, 14_100n)]);
    expect((await reports(id)).map(({ body }) => body.data)).toMatchObject([
      { available_balance: 49.5 },
      { available_balance: 8 },
    ]);
  });

  it('is reported to each endpoint that wants it and is on, in the transaction of the movement', async () => {
    const id = await organisation(10_000n);
    const second = await anEndpoint(treasury.database, id, { events: ['message.sent', 'balance.low'] });
    await anEndpoint(treasury.database, id, { events: ['balance.low'], enabled: false });
    await anEndpoint(treasury.database, id, { events: ['message.sent'] });
    const undone = treasury.database.transaction(async (transaction) => {
      await charge(transaction, 'message', [item(id, 9_000n)]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await reports(id)).toEqual([]);
    await charge(treasury.database, 'message', [item(id, 4_000n), item(id, 4_000n)]);
    const stored = await reports(id);
    expect(stored).toHaveLength(2);
    expect(new Set(stored.map((row) => row.id)).size).toBe(2);
    expect(stored.some(({ endpointId }) => endpointId === second)).toBe(true);
  });

  it('is not reported without a threshold, or to another organisation', async () => {
    const [id, other] = [await organisation(10_000n), await organisation(10_000n)];
    await setThreshold(id, null);
    await pay(id, 9_000n);
    expect(await reports(id)).toEqual([]);
    expect(await reports(other)).toEqual([]);
  });

  it('is a positive amount of a wallet', async () => {
    const id = await treasury.organisation(0n);
    const set = (kind: string, kobo: number) =>
      treasury.database.execute(sql`
        UPDATE ledger_account SET low_balance_kobo = ${kobo}
        WHERE organisation_id = ${id}::uuid AND kind = ${kind}::ledger_account_kind`);
    await expect(set('wallet', 0)).rejects.toThrow('ledger_account_low_balance_check');
    await expect(set('reserved', 1)).rejects.toThrow('ledger_account_low_balance_check');
  });
});
