import { sql, statement, t } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bookLoss,
  charge,
  checkLedger,
  type Ledger,
  type LedgerItem,
  post,
  refund,
  reserve,
  type ChargeResult,
  voidReservation,
} from '../src/index.js';
import { topUp } from './support/bookings.js';
import { onceUnlocked } from './support/once-unlocked.js';
import { batches, funds, Model, organisationCount, type Step, subjectOf } from './support/model.js';
import { Treasury } from './support/treasury.js';

const findCharges = statement(
  { id: t.uuid, kobo: t.bigint },
  (subjectIds: readonly string[]) => sql`
    SELECT subject_id AS id, kobo FROM ledger_movement
    WHERE subject_id = ANY (${subjectIds}::uuid[]) AND kind = 'charge'`,
);

const movedNow = (results: readonly ChargeResult[]) =>
  results.map((each) => ({ moved: each.ok && !each.repeated }));

/** Each returns for its items whether anything moved. */
const acts: Record<Step['act'], (ledger: Ledger, members: LedgerItem[]) => Promise<{ moved: boolean }[]>> = {
  charge: async (ledger, members) => movedNow(await charge(ledger, 'message', members)),
  reserve: async (ledger, members) => movedNow(await reserve(ledger, 'airtime', members)),
  refund: async (ledger, members) => {
    const charges = await ledger.run(
      findCharges,
      members.map(({ subjectId }) => subjectId),
    );
    const charged = new Map(charges.map(({ id, kobo }) => [id, kobo]));
    const items = members.flatMap((member) => {
      const most = charged.get(member.subjectId);
      if (most === undefined) return [];
      return { ...member, chargeId: member.subjectId, kobo: member.kobo < most ? member.kobo : most };
    });
    const receipts = await refund(ledger, items);
    return members.map(({ subjectId }) => {
      const place = items.findIndex((item) => item.subjectId === subjectId);
      return { moved: receipts[place]?.moved ?? false };
    });
  },
  topUp,
  post: (ledger, members) => post(ledger, 'airtime', members),
  void: (ledger, members) => voidReservation(ledger, 'airtime', members),
  loss: bookLoss,
};

describe('random operations on the ledger', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await Treasury.open(6);
  });
  afterAll(() => treasury.close());

  /** Fresh organisations, and what performs batches on them. */
  const stage = async () => {
    const organisations = await Promise.all(
      Array.from({ length: organisationCount }, () => treasury.organisation(funds)),
    );
    const subjects = new Map<string, string>();
    const idOf = (step: Step): string => {
      const id = subjects.get(subjectOf(step)) ?? newId();
      subjects.set(subjectOf(step), id);
      return id;
    };
    const perform = async (batch: readonly Step[]): Promise<Step[]> => {
      const members = batch.map((step) => ({
        subjectId: idOf(step),
        organisationId: organisations[step.organisation] ?? '',
        kobo: step.kobo,
      }));
      const act = acts[batch[0]?.act ?? 'charge'];
      const outcomes = await onceUnlocked(() =>
        treasury.database.transaction((ledger) => act(ledger, members)),
      );
      return batch.filter((_, index) => outcomes[index]?.moved);
    };
    const models = organisations.map(() => new Model());
    const modelOf = ({ organisation }: Step): Model => models[organisation] as Model;
    const compare = async (): Promise<void> => {
      for (const [index, { wallet, reserved }] of models.entries()) {
        const balances = await treasury.balances(organisations[index] ?? '');
        expect(balances).toEqual({ available: wallet, reserved });
      }
      expect(await checkLedger(treasury.database)).toMatchObject({ findings: [], warnings: [] });
    };
    return { perform, modelOf, compare };
  };

  it('match a simple model when they run one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (script) => {
        const { perform, modelOf, compare } = await stage();
        for (const batch of script) {
          const expected = batch.filter((step) => modelOf(step).perform(step));
          expect(await perform(batch)).toEqual(expected);
        }
        await compare();
      }),
      { numRuns: repetitions(3, 20) },
    );
  });

  it('move no money twice when they run concurrently, and the balances match the results', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batches, { minLength: 2, maxLength: 6 }), async (scripts) => {
        const { perform, modelOf, compare } = await stage();
        const moved: Step[] = [];
        await Promise.all(
          scripts.map(async (script) => {
            for (const batch of script) moved.push(...(await perform(batch)));
          }),
        );
        for (const step of inPossibleOrder(moved)) modelOf(step).follow(step);
        await compare();
      }),
      // A failure that depends on timing cannot be shrunk.
      { numRuns: repetitions(3, 20), endOnFailure: true },
    );
  });
});

/** Answers of several connections come in any order; but nothing is settled or refunded before it is reserved or charged. */
const inPossibleOrder = (steps: readonly Step[]): Step[] => {
  const rank = (act: Step['act']) =>
    act === 'loss' ? 2 : act === 'post' || act === 'void' || act === 'refund' ? 1 : 0;
  return steps.toSorted((one, other) => rank(one.act) - rank(other.act));
};
