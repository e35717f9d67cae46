import { setLimits, type SpendCategory, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aDelivery, aMessage, repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  charge,
  type ChargedCategory,
  checkLedger,
  type ChargeResult,
  type LedgerItem,
  refund,
  reserve,
  type ReservedCategory,
  spentToday,
  voidReservation,
} from '../src/index.js';
import { onceUnlocked } from './support/once-unlocked.js';
import { limits, oneDay, severalDays, SpendModel, type SpendStep } from './support/spend-model.js';
import { Treasury } from './support/treasury.js';

const funds = 1_000_000n;

describe('daily limits', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open(8);
  });
  afterAll(() => treasury.close());

  const item = (organisationId: string, kobo: bigint): LedgerItem => ({
    subjectId: newId(),
    organisationId,
    kobo,
  });
  /** An organisation with the same limit in each category. */
  const limitedOrganisation = async (category: bigint, daily = 0n, kobo = funds): Promise<string> => {
    const organisation = await treasury.organisation(kobo);
    await setLimits(treasury.database, organisation, {
      dailySpendKobo: daily,
      messageDailySpendKobo: category,
      otpDailySpendKobo: category,
      airtimeDailySpendKobo: category,
      lookupDailySpendKobo: category,
    });
    return organisation;
  };
  const accepted = (results: readonly ChargeResult[]) => results.map(({ ok }) => ok);
  /** Moves the wallet to another day; what was spent stays on the day before. */
  const nextDay = (organisationId: string) =>
    treasury.database.execute(
      sql`UPDATE ledger_account SET spent_on = coalesce(spent_on, (now() AT TIME ZONE 'UTC')::date) + 1,
            message_spent_kobo = 0, otp_spent_kobo = 0, airtime_spent_kobo = 0, lookup_spent_kobo = 0
          WHERE organisation_id = ${organisationId}::uuid AND kind = 'wallet'`,
    );
  /** What the transactions say that the counters must be. */
  const summed = async (organisationId: string) => {
    const rows = await treasury.database.query<{ category: SpendCategory; kobo: bigint }>(sql`
      SELECT moved.category, sum(CASE from_account WHEN 'wallet' THEN kobo ELSE -kobo END)::bigint AS kobo
      FROM ledger_account wallet
      JOIN ledger_movement moved ON moved.organisation_id = wallet.organisation_id AND moved.spent_on = wallet.spent_on
        AND 'wallet' IN (from_account, to_account)
      WHERE wallet.organisation_id = ${organisationId}::uuid AND wallet.kind = 'wallet' GROUP BY moved.category`);
    const none = { message: 0n, otp: 0n, airtime: 0n, lookup: 0n };
    return { ...none, ...Object.fromEntries(rows.map(({ category, kobo }) => [category, kobo])) };
  };

  it('accept up to the limit and not one kobo more, in the order of a batch', async () => {
    const organisation = await limitedOrganisation(100n);
    const items = [60n, 50n, 40n, 1n, 0n].map((kobo) => item(organisation, kobo));
    const results = await charge(treasury.database, 'message', items);
    expect(accepted(results)).toEqual([true, false, true, false, true]);
    expect(results[1]).toEqual({
      ok: false,
      available: funds - 60n,
      limit: { name: 'message_daily_spend', kobo: 100n, left: 40n },
    });
    expect(await treasury.balances(organisation)).toMatchObject({ available: funds - 100n });
    expect(await spentToday(treasury.database, organisation)).toMatchObject({ message: 100n, airtime: 0n });
  });

  it('apply per category and in total, and the error names the tighter one', async () => {
    const organisation = await limitedOrganisation(100n, 150n);
    const buy = async (category: ChargedCategory | 'airtime', kobo: bigint) => {
      const items = [item(organisation, kobo)];
      const [result] = await (category === 'airtime'
        ? reserve(treasury.database, category, items)
        : charge(treasury.database, category, items));
      return result?.ok === false ? result.limit : result?.ok;
    };
    expect(await buy('airtime', 101n)).toMatchObject({ name: 'airtime_daily_spend', left: 100n });
    expect(await buy('airtime', 100n)).toBe(true);
    expect(await buy('otp', 60n)).toMatchObject({ name: 'daily_spend', kobo: 150n, left: 50n });
    expect(await buy('otp', 50n)).toBe(true);
    expect(await buy('lookup', 1n)).toMatchObject({ name: 'daily_spend', left: 0n });
  });

  it('report a low balance if the balance is lower than the limit', async () => {
    for (const limit of [60n, 40n]) {
      const organisation = await limitedOrganisation(limit, 0n, 50n);
      const results = await charge(treasury.database, 'otp', [item(organisation, 55n)]);
      expect(results).toEqual([{ ok: false, available: 50n }]);
    }
  });

  it('come from the organisation or the stored defaults; 0 disables one', async () => {
    const organisation = await treasury.organisation(funds);
    const setDefault = (name: string, kobo: bigint) =>
      treasury.database.execute(sql`UPDATE money_limit SET kobo = ${kobo} WHERE name = ${name}`);
    await setDefault('daily_spend', 1_000n);
    await setDefault('airtime_daily_spend', 10n);
    const buy = async (kobo: bigint) =>
      accepted(await reserve(treasury.database, 'airtime', [item(organisation, kobo)]))[0];
    expect(await buy(11n)).toBe(false);
    await setLimits(treasury.database, organisation, { airtimeDailySpendKobo: 20n });
    expect([await buy(11n), await buy(10n)]).toEqual([true, false]);
    await setLimits(treasury.database, organisation, { airtimeDailySpendKobo: 0n });
    expect([await buy(900n), await buy(90n)]).toEqual([true, false]);
    await setLimits(treasury.database, organisation, { dailySpendKobo: 0n });
    expect(await buy(5_000n)).toBe(true);
    // A limit below what was spent accepts nothing but what costs nothing.
    await setLimits(treasury.database, organisation, { dailySpendKobo: 1n });
    expect([await buy(1n), await buy(0n)]).toEqual([false, true]);
    await setDefault('daily_spend', 0n);
    await setDefault('airtime_daily_spend', 0n);
    const other = await treasury.organisation(funds);
    expect(accepted(await reserve(treasury.database, 'airtime', [item(other, funds)]))).toEqual([true]);
  });

  it('start again each day, but not when the clock steps back', async () => {
    const organisation = await limitedOrganisation(100n);
    const buy = async () => accepted(await charge(treasury.database, 'otp', [item(organisation, 100n)]))[0];
    const setDay = (days: number) =>
      treasury.database.execute(
        sql`UPDATE ledger_account SET spent_on = (now() AT TIME ZONE 'UTC')::date + ${days}::int
            WHERE organisation_id = ${organisation}::uuid AND kind = 'wallet'`,
      );
    expect([await buy(), await buy()]).toEqual([true, false]);
    await setDay(-1);
    expect([await buy(), await buy()]).toEqual([true, false]);
    await setDay(1);
    expect(await buy()).toBe(false);
  });

  it('no longer count what is refunded or voided on the same day', async () => {
    const organisation = await limitedOrganisation(100n);
    const [message, purchase] = [item(organisation, 100n), item(organisation, 100n)];
    await charge(treasury.database, 'message', [message]);
    await reserve(treasury.database, 'airtime', [purchase]);
    const part = { ...item(organisation, 30n), chargeId: message.subjectId };
    await aMessage(treasury.database, organisation, { id: message.subjectId });
    await aDelivery(treasury.database, organisation, { id: part.subjectId, messageId: message.subjectId });
    await refund(treasury.database, [part]);
    await refund(treasury.database, [part]);
    await voidReservation(treasury.database, 'airtime', [purchase]);
    expect(await spentToday(treasury.database, organisation)).toMatchObject({ message: 70n, airtime: 0n });
    await nextDay(organisation);
    await charge(treasury.database, 'message', [item(organisation, 90n)]);
    await refund(treasury.database, [{ ...message, kobo: 70n, chargeId: message.subjectId }]);
    expect(await summed(organisation)).toMatchObject({ message: 90n });
  });

  const perform = async (organisationId: string, idOf: (step: SpendStep) => string, step: SpendStep) => {
    const member = { subjectId: idOf(step), organisationId, kobo: step.kobo };
    const spend = async (act: () => Promise<ChargeResult[]>) => {
      const [result] = await onceUnlocked(act);
      return result?.ok === true && !result.repeated;
    };
    switch (step.act) {
      case 'midnight':
        await nextDay(organisationId);
        return true;
      case 'charge':
        return spend(() => charge(treasury.database, step.category as ChargedCategory, [member]));
      case 'reserve':
        return spend(() => reserve(treasury.database, step.category as ReservedCategory, [member]));
      case 'void': {
        const [voided] = await onceUnlocked(() =>
          voidReservation(treasury.database, step.category as ReservedCategory, [member]),
        );
        return voided?.moved === true;
      }
      case 'refund': {
        // All of what was charged, if anything was.
        const [found] = await treasury.database.query<{ kobo: bigint }>(sql`
          SELECT kobo FROM ledger_movement WHERE subject_id = ${member.subjectId}::uuid AND kind = 'charge' AND category <> 'lookup'`);
        if (!found) return false;
        const item = { ...member, kobo: found.kobo, chargeId: member.subjectId };
        const [receipt] = await onceUnlocked(() => refund(treasury.database, [item]));
        return receipt?.moved === true;
      }
    }
  };
  const subjects = () => {
    const ids = new Map<number, string>();
    return ({ subject }: SpendStep): string => {
      const id = ids.get(subject) ?? newId();
      ids.set(subject, id);
      return id;
    };
  };

  it('match a simple model for random steps over several days', async () => {
    await fc.assert(
      fc.asyncProperty(severalDays, async (steps) => {
        const organisation = await limitedOrganisation(limits.category, limits.daily);
        const [model, idOf] = [new SpendModel(), subjects()];
        for (const step of steps) {
          expect([step, await perform(organisation, idOf, step)]).toEqual([step, model.perform(step)]);
        }
        expect(await summed(organisation)).toEqual(model.spent);
      }),
      { numRuns: repetitions(4, 20) },
    );
    expect(await checkLedger(treasury.database)).toMatchObject({ findings: [] });
  });

  it('hold for concurrent random steps, and the counters are the sums of the transactions', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(oneDay, { minLength: 2, maxLength: 5 }), async (scripts) => {
        const organisation = await limitedOrganisation(limits.category, limits.daily);
        const idOf = subjects();
        await Promise.all(
          scripts.map(async (script) => {
            for (const step of script) await perform(organisation, idOf, step);
          }),
        );
        const spent = await spentToday(treasury.database, organisation);
        expect(await summed(organisation)).toEqual(spent);
        const all = Object.values(spent);
        expect(all.every((kobo) => kobo >= 0n && kobo <= limits.category)).toBe(true);
        expect(all.reduce((sum, kobo) => sum + kobo, 0n)).toBeLessThanOrEqual(limits.daily);
      }),
      // A failure that depends on timing cannot be shrunk.
      { numRuns: repetitions(4, 15), endOnFailure: true },
    );
  });

  it('let concurrent purchases spend exactly the limit', async () => {
    const organisation = await limitedOrganisation(500n);
    const batches = Array.from({ length: 20 }, () =>
      Array.from({ length: 10 }, () => item(organisation, 10n)),
    );
    const results = await Promise.all(
      batches.map((batch) => onceUnlocked(() => reserve(treasury.database, 'airtime', batch))),
    );
    expect(accepted(results.flat()).filter(Boolean)).toHaveLength(50);
    expect(await treasury.balances(organisation)).toEqual({ available: funds - 500n, reserved: 500n });
  });

  it('return the first result to a retry, even if the limit has been reached since', async () => {
    const organisation = await limitedOrganisation(100n);
    const one = item(organisation, 100n);
    await charge(treasury.database, 'message', [one]);
    expect(await charge(treasury.database, 'message', [one, item(organisation, 1n)])).toMatchObject([
      { ok: true, repeated: true },
      { ok: false, limit: { left: 0n } },
    ]);
    const racing = item(organisation, 100n);
    await nextDay(organisation);
    const results = await Promise.all(
      Array.from({ length: 8 }, () => onceUnlocked(() => charge(treasury.database, 'message', [racing]))),
    );
    expect(accepted(results.flat())).toEqual(results.map(() => true));
  });
});
