import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aDelivery, aMessage } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  bookLoss,
  charge,
  checkLedger,
  post,
  refund,
  reserve,
  type ChargeResult,
  growthIdOf,
  type LedgerItem,
  type Subject,
  voidReservation,
} from '../src/index.js';
import { adjust, topUp } from './support/bookings.js';
import { onceUnlocked } from './support/once-unlocked.js';
import { Treasury } from './support/treasury.js';

describe('the ledger', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open();
  });
  afterAll(() => treasury.close());
  afterEach(async () => {
    expect(await checkLedger(treasury.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });

  const item = (organisationId: string, kobo: bigint) => ({ subjectId: newId(), organisationId, kobo });
  const accepted = (results: readonly ChargeResult[]) => results.map(({ ok }) => ok);

  describe('charges', () => {
    it('a batch of several organisations, and returns the balance after each item', async () => {
      const [one, two] = [await treasury.organisation(100n), await treasury.organisation(50n)];
      const items = [item(one, 30n), item(two, 50n), item(one, 70n)];
      expect(await charge(treasury.database, 'message', items)).toEqual([
        { ok: true, balanceBefore: 100n, balance: 70n, repeated: false },
        { ok: true, balanceBefore: 50n, balance: 0n, repeated: false },
        { ok: true, balanceBefore: 70n, balance: 0n, repeated: false },
      ]);
      expect(await treasury.balances(one)).toEqual({ available: 0n, reserved: 0n });
    });

    it('nothing while a default limit is missing', async () => {
      const own = await treasury.organisation(100n);
      const missing = treasury.database.transaction(async (transaction) => {
        await transaction.execute(sql`DELETE FROM money_limit WHERE name = 'otp_daily_spend'`);
        await charge(transaction, 'otp', [item(own, 5n)]);
      });
      await expect(missing).rejects.toMatchObject({ code: '23514' });
      expect(await treasury.balances(own)).toEqual({ available: 100n, reserved: 0n });
    });

    it('in order, and an item that is too expensive does not stop a cheaper one behind it', async () => {
      const [poor, rich] = [await treasury.organisation(100n), await treasury.organisation(1_000n)];
      const items = [item(poor, 60n), item(poor, 50n), item(rich, 500n), item(poor, 40n), item(poor, 1n)];
      expect(await charge(treasury.database, 'message', items)).toEqual([
        { ok: true, balanceBefore: 100n, balance: 40n, repeated: false },
        { ok: false, available: 40n },
        { ok: true, balanceBefore: 1_000n, balance: 500n, repeated: false },
        { ok: true, balanceBefore: 40n, balance: 0n, repeated: false },
        { ok: false, available: 0n },
      ]);
    });

    it('up to the whole balance, and not one kobo more', async () => {
      const organisation = await treasury.organisation(100n);
      expect(accepted(await charge(treasury.database, 'message', [item(organisation, 101n)]))).toEqual([
        false,
      ]);
      expect(accepted(await charge(treasury.database, 'message', [item(organisation, 100n)]))).toEqual([
        true,
      ]);
    });

    it('a subject once, and returns the first result to a retry', async () => {
      const organisation = await treasury.organisation(100n);
      const one = item(organisation, 60n);
      const [first] = await charge(treasury.database, 'message', [one]);
      await charge(treasury.database, 'message', [item(organisation, 40n)]);
      expect(await charge(treasury.database, 'message', [one])).toEqual([{ ...first, repeated: true }]);
      expect(await charge(treasury.database, 'message', [item(organisation, 1n), one, one])).toEqual([
        { ok: false, available: 0n },
        { ...first, repeated: true },
        { ...first, repeated: true },
      ]);
    });

    it('a subject once, and returns the first price to a retry with another price', async () => {
      const organisation = await treasury.organisation(100n);
      const one = item(organisation, 60n);
      const [first] = await charge(treasury.database, 'message', [one]);
      expect(await charge(treasury.database, 'message', [{ ...one, kobo: 5n }])).toEqual([
        { ...first, repeated: true },
      ]);
    });

    it('a subject once that occurs twice in a batch', async () => {
      const organisation = await treasury.organisation(100n);
      const one = item(organisation, 60n);
      expect(accepted(await charge(treasury.database, 'message', [one, one]))).toEqual([true, true]);
      expect(await treasury.balances(organisation)).toMatchObject({ available: 40n });
    });

    it('nothing for an item of 0, and returns the balance at its position', async () => {
      const organisation = await treasury.organisation(100n);
      const items = [item(organisation, 30n), item(organisation, 0n), item(organisation, 80n)];
      expect(await charge(treasury.database, 'message', items)).toMatchObject([
        { ok: true, balance: 70n },
        { ok: true, balanceBefore: 70n, balance: 70n, repeated: false },
        { ok: false, available: 70n },
      ]);
      const empty = await treasury.organisation();
      expect(await charge(treasury.database, 'message', [item(empty, 0n)])).toMatchObject([
        { ok: true, balance: 0n },
      ]);
    });

    it('in the statement that stores the purchase', async () => {
      const organisation = await treasury.organisation(100n);
      const items = [item(organisation, 60n), item(organisation, 50n), item(organisation, 0n)];
      const names = items.map((_, index) => `bought ${index} ${organisation}`);
      const alongside = sql`bought AS (
        INSERT INTO account (id, name) SELECT asked.id, asked.name || ' ' || accepted.balance
        FROM unnest(${items.map(({ subjectId }) => subjectId)}::uuid[], ${names}::text[]) AS asked (id, name)
        JOIN accepted ON accepted.subject_id = asked.id ON CONFLICT DO NOTHING)`;
      for (let run = 0; run < 2; run += 1) {
        expect(accepted(await charge(treasury.database, 'message', items, alongside))).toEqual([
          true,
          false,
          true,
        ]);
      }
      const bought = await treasury.database.query(
        sql`SELECT name FROM account WHERE name LIKE ${`bought _ ${organisation}%`} ORDER BY name`,
      );
      expect(bought).toEqual([{ name: `${names[0]} 40` }, { name: `${names[2]} 40` }]);
    });

    it('no organisation without accounts, and no negative price', async () => {
      await expect(charge(treasury.database, 'message', [item(newId(), 1n)])).rejects.toThrow(
        'has no ledger accounts',
      );
      const organisation = await treasury.organisation(100n);
      await expect(charge(treasury.database, 'message', [item(organisation, -1n)])).rejects.toThrow(
        RangeError,
      );
    });

    it('nothing for an empty batch', async () => {
      expect(await charge(treasury.database, 'message', [])).toEqual([]);
    });

    it('nothing if the transaction around it is rolled back', async () => {
      const organisation = await treasury.organisation(100n);
      const undone = treasury.database.transaction(async (transaction) => {
        expect(accepted(await charge(transaction, 'message', [item(organisation, 60n)]))).toEqual([true]);
        throw new Error('undo');
      });
      await expect(undone).rejects.toThrow('undo');
      expect(await treasury.balances(organisation)).toMatchObject({ available: 100n });
    });
  });

  it('refunds once', async () => {
    const organisation = await treasury.organisation(100n);
    const charged = item(organisation, 100n);
    await charge(treasury.database, 'message', [charged]);
    await aMessage(treasury.database, organisation, { id: charged.subjectId });
    const deliveries = [10n, 20n].map((kobo) => item(organisation, kobo));
    for (const { subjectId: id } of deliveries)
      await aDelivery(treasury.database, organisation, { id, messageId: charged.subjectId });
    const items = deliveries.map((delivery) => ({ ...delivery, chargeId: charged.subjectId }));
    expect(await refund(treasury.database, items)).toEqual([
      { moved: true, kobo: 10n, balance: 10n },
      { moved: true, kobo: 20n, balance: 30n },
    ]);
    await charge(treasury.database, 'message', [item(organisation, 5n)]);
    expect(await refund(treasury.database, items)).toEqual([
      { moved: false, kobo: 10n, balance: 10n },
      { moved: false, kobo: 20n, balance: 30n },
    ]);
    expect(await treasury.balances(organisation)).toMatchObject({ available: 25n });
  });

  describe('refunds no more than was charged', () => {
    const charged = async (kobo = 100n) => {
      const message = item(await treasury.organisation(1_000n), kobo);
      await charge(treasury.database, 'message', [message]);
      await aMessage(treasury.database, message.organisationId, { id: message.subjectId });
      return message;
    };
    /** For one of its deliveries. */
    const part = async ({ subjectId: chargeId, organisationId }: Subject, kobo: bigint) => {
      const id = await aDelivery(treasury.database, organisationId, { messageId: chargeId });
      return { subjectId: id, organisationId, kobo, chargeId };
    };
    const refundPart = async (message: Subject, kobo: bigint) =>
      refund(treasury.database, [await part(message, kobo)]);
    const exceeds = { code: '23514', constraint: 'refund_within_charge' };

    it('in one refund, in a batch, and in all refunds together', async () => {
      const message = await charged();
      await expect(refundPart(message, 101n)).rejects.toMatchObject(exceeds);
      const batch = [await part(message, 60n), await part(message, 41n)];
      await expect(refund(treasury.database, batch)).rejects.toMatchObject(exceeds);
      const first = await part(message, 60n);
      await refund(treasury.database, [first]);
      await expect(refundPart(message, 41n)).rejects.toMatchObject(exceeds);
      // What was refunded before does not count twice.
      const again = [first, await part(message, 40n)];
      expect(await refund(treasury.database, again)).toMatchObject([{ moved: false }, { moved: true }]);
      await expect(refundPart(message, 1n)).rejects.toMatchObject(exceeds);
      expect(await treasury.balances(message.organisationId)).toMatchObject({ available: 1_000n });
    });

    it('for a charge that does not exist, or is of another organisation', async () => {
      const message = await charged();
      const organisationId = await treasury.organisation(1_000n);
      const id = newId();
      const unknown = { subjectId: id, organisationId, kobo: 1n, chargeId: id };
      await expect(refund(treasury.database, [unknown])).rejects.toMatchObject(exceeds);
      const foreign = { ...(await part(message, 1n)), organisationId };
      await expect(refund(treasury.database, [foreign])).rejects.toMatchObject(exceeds);
    });

    it('for the charge itself or a delivery of it, and nothing else', async () => {
      const [message, other] = [await charged(), await charged()];
      for (const { subjectId } of [item('', 0n), await part(other, 1n)]) {
        const foreign = { ...message, subjectId, kobo: 1n, chargeId: message.subjectId };
        await expect(refund(treasury.database, [foreign])).rejects.toMatchObject({
          constraint: 'refund_of_charge',
        });
      }
      await refund(treasury.database, [{ ...message, chargeId: message.subjectId }]);
    });

    it('and counts the charge of what a smartlist has grown by', async () => {
      const message = await charged();
      const growth = { ...message, subjectId: growthIdOf(message.subjectId), kobo: 30n };
      await charge(treasury.database, 'message', [growth]);
      const rest = { ...growth, chargeId: growth.subjectId, kobo: 10n };
      await refund(treasury.database, [await part(message, 110n), rest]);
      await expect(refundPart(message, 11n)).rejects.toMatchObject(exceeds);
      await refundPart(message, 10n);
    });

    it('under concurrency', async () => {
      const message = await charged();
      const parts = await Promise.all(Array.from({ length: 12 }, () => part(message, 30n)));
      const results = await Promise.allSettled(
        parts.map((each) => onceUnlocked(() => refund(treasury.database, [each]))),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      expect(await treasury.balances(message.organisationId)).toMatchObject({ available: 990n });
    });

    it('but not of a lookup', async () => {
      const lookup = item(await treasury.organisation(100n), 7n);
      await charge(treasury.database, 'lookup', [lookup]);
      await expect(
        refund(treasury.database, [{ ...lookup, chargeId: lookup.subjectId }]),
      ).rejects.toMatchObject({ constraint: 'refund_of_charge' });
    });

    it('and counts refunds from before the upgrade, which have no sum', async () => {
      const message = await charged();
      for (const kobo of [40n, 20n]) await refundPart(message, kobo);
      await treasury.database.transaction(async (transaction) => {
        await transaction.execute(sql`SET LOCAL session_replication_role = replica`);
        await transaction.execute(
          sql`UPDATE ledger_movement SET refunded_after = NULL WHERE charge_id = ${message.subjectId}`,
        );
      });
      await expect(refundPart(message, 41n)).rejects.toMatchObject(exceeds);
      await refundPart(message, 40n);
    });
  });

  describe('for a purchase', () => {
    const reserved = async () => {
      const organisation = await treasury.organisation(100n);
      const purchase = item(organisation, 60n);
      expect(await reserve(treasury.database, 'airtime', [purchase])).toEqual([
        { ok: true, balanceBefore: 100n, balance: 40n, repeated: false },
      ]);
      expect(await treasury.balances(organisation)).toEqual({ available: 40n, reserved: 60n });
      return purchase;
    };

    it('posts once, and cannot void afterwards', async () => {
      const purchase = await reserved();
      expect(await post(treasury.database, 'airtime', [purchase])).toEqual([{ moved: true, kobo: 60n }]);
      expect(await post(treasury.database, 'airtime', [purchase])).toEqual([
        { moved: false, reason: 'posted' },
      ]);
      expect(await voidReservation(treasury.database, 'airtime', [purchase])).toEqual([
        { moved: false, reason: 'posted' },
      ]);
      expect(await treasury.balances(purchase.organisationId)).toEqual({ available: 40n, reserved: 0n });
    });

    it('voids once, cannot post afterwards, and books a late success as a loss once', async () => {
      const purchase = await reserved();
      expect(await bookLoss(treasury.database, [purchase])).toEqual([{ moved: false, reason: 'not_voided' }]);
      expect(await voidReservation(treasury.database, 'airtime', [purchase])).toEqual([
        { moved: true, kobo: 60n },
      ]);
      expect(await voidReservation(treasury.database, 'airtime', [purchase])).toEqual([
        { moved: false, reason: 'voided' },
      ]);
      expect(await post(treasury.database, 'airtime', [purchase])).toEqual([
        { moved: false, reason: 'voided' },
      ]);
      expect(await treasury.balances(purchase.organisationId)).toEqual({ available: 100n, reserved: 0n });
      expect(await bookLoss(treasury.database, [purchase])).toEqual([{ moved: true, kobo: 60n }]);
      expect(await bookLoss(treasury.database, [purchase])).toEqual([{ moved: false, reason: 'booked' }]);
      expect(await treasury.balances(purchase.organisationId)).toEqual({ available: 100n, reserved: 0n });
    });

    it('settles only what the same organisation has reserved', async () => {
      const purchase = await reserved();
      const stranger = await treasury.organisation(100n);
      const purchases = [item(stranger, 1n), { ...purchase, organisationId: stranger }];
      const nothing = { moved: false, reason: 'unreserved' };
      expect(await post(treasury.database, 'airtime', purchases)).toEqual([nothing, nothing]);
      expect(await voidReservation(treasury.database, 'airtime', purchases)).toEqual([nothing, nothing]);
    });

    it('settles only what was reserved for the same category', async () => {
      const purchase = await reserved();
      const nothing = [{ moved: false, reason: 'unreserved' }];
      expect(await post(treasury.database, 'lookup', [purchase])).toEqual(nothing);
      expect(await voidReservation(treasury.database, 'lookup', [purchase])).toEqual(nothing);
      const lookup = item(purchase.organisationId, 7n);
      await reserve(treasury.database, 'lookup', [lookup]);
      await voidReservation(treasury.database, 'lookup', [lookup]);
      expect(await bookLoss(treasury.database, [lookup])).toEqual([{ moved: false, reason: 'not_voided' }]);
    });

    it('settles a reservation from before the categories as one of airtime', async () => {
      const purchase = await reserved();
      await treasury.database.transaction(async (transaction) => {
        await transaction.execute(sql`SET LOCAL session_replication_role = replica`);
        await transaction.execute(
          sql`UPDATE ledger_movement SET category = NULL, spent_on = NULL WHERE subject_id = ${purchase.subjectId}`,
        );
      });
      expect(await post(treasury.database, 'lookup', [purchase])).toMatchObject([{ moved: false }]);
      expect(await post(treasury.database, 'airtime', [purchase])).toEqual([{ moved: true, kobo: 60n }]);
    });

    it('reserves once', async () => {
      const purchase = await reserved();
      expect(await reserve(treasury.database, 'airtime', [purchase])).toEqual([
        { ok: true, balanceBefore: 100n, balance: 40n, repeated: true },
      ]);
      expect(await treasury.balances(purchase.organisationId)).toEqual({ available: 40n, reserved: 60n });
    });
  });

  it('tops up once per payment', async () => {
    const payment = item(await treasury.organisation(), 10n);
    const book = async (kobo: bigint) => {
      const [booking] = await topUp(treasury.database, [{ ...payment, kobo }]);
      return booking?.row;
    };
    expect(await book(10n)).toMatchObject({ outcome: 'moved', kobo: 10n, balance: 10n });
    for (const kobo of [10n, 17n])
      expect(await book(kobo)).toMatchObject({ outcome: 'earlier', kobo: 10n, balance: 10n });
  });

  it('adjusts in both directions, never below zero', async () => {
    const organisation = await treasury.organisation(100n);
    const down = item(organisation, -30n);
    const book = (adjustment: LedgerItem) => adjust(treasury.database, adjustment);
    expect(await book(down)).toMatchObject({ outcome: 'moved', balance: 70n });
    expect(await book(item(organisation, 5n))).toMatchObject({ outcome: 'moved', balance: 75n });
    expect(await book(item(organisation, -76n))).toMatchObject({ outcome: 'insufficient', balance: 75n });
    for (const kobo of [-30n, 30n, 5n, -1_000n])
      expect(await book({ ...down, kobo })).toMatchObject({ outcome: 'earlier', balance: 70n });
  });
});
