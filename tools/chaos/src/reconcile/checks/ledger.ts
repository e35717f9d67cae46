import { type Check, type Found, groupBy } from '../check.js';
import type { DeliveryFact, LedgerFact, PurchaseFact } from '../facts.js';
import { costsOf, isRefundable, unusedKobo } from './refunds.js';

/** What moved is what the rows say, once each. */
export const ledger: Check = {
  name: 'ledger',
  promise: 'the ledger is exact: off by 0 kobo',
  *find(facts) {
    for (const finding of facts.ledgerFindings) yield { subject: 'ledger check', message: finding };
    const moved = groupBy(facts.ledger, ({ subjectId }) => subjectId);
    const take = (subjectId: string): LedgerFact[] => {
      const own = moved.get(subjectId) ?? [];
      moved.delete(subjectId);
      return own;
    };
    const costs = costsOf(facts);
    for (const message of facts.messages) {
      const { id, chargeKobo, isSmartlist } = message;
      yield* compare('message', id, take(id), [
        ['charge', chargeKobo],
        ['refund', unusedKobo(message, costs)],
      ]);
      const cost = costs.get(id) ?? 0n;
      if (!isSmartlist && cost !== chargeKobo)
        yield { subject: id, message: `the message costs ${chargeKobo} kobo, and its deliveries ${cost}` };
    }
    for (const { id, chargeKobo } of facts.otps) {
      // The delivery of an OTP has the same id, so its refund has the same subject.
      const refunds = facts.deliveries.filter((delivery) => delivery.id === id && delivery.refunded);
      yield* compare('otp', id, take(id), [
        ['charge', chargeKobo],
        ...refunds.map((delivery): Move => ['refund', delivery.chargeKobo]),
      ]);
    }
    for (const delivery of facts.deliveries) yield* compareDelivery(delivery, take(delivery.id));
    for (const purchase of facts.purchases) yield* comparePurchase(purchase, take(purchase.id));
    yield* unknownSubjects(moved);
  },
};

type Move = readonly [kind: string, kobo: bigint];

function* compare(what: string, id: string, found: readonly LedgerFact[], expected: readonly Move[]): Found {
  const texts = (moves: readonly Move[]): string =>
    moves
      .filter(([, kobo]) => kobo !== 0n)
      .map(([kind, kobo]) => `${kind} ${kobo}`)
      .toSorted()
      .join(', ');
  const [wanted, has] = [texts(expected), texts(found.map(({ kind, kobo }) => [kind, kobo]))];
  if (wanted !== has)
    yield {
      subject: id,
      message: `the ${what} should have ${wanted || 'no entry'}, and has ${has || 'none'}`,
    };
}

function* compareDelivery(delivery: DeliveryFact, found: readonly LedgerFact[]): Found {
  const { id, otpId, state, refunded, chargeKobo } = delivery;
  if (refunded !== isRefundable(delivery))
    yield { subject: id, message: `a delivery that is ${state} is ${refunded ? '' : 'not '}refunded` };
  if (id !== otpId)
    yield* compare(`delivery (${state})`, id, found, refunded ? [['refund', chargeKobo]] : []);
}

const purchaseMoves: Readonly<Record<string, string>> = {
  success: 'post',
  failed: 'void',
  duplicate: 'void',
};

function* comparePurchase({ id, state, kobo, refunded }: PurchaseFact, found: readonly LedgerFact[]): Found {
  const end = purchaseMoves[state];
  yield* compare(`purchase (${state})`, id, found, [
    ['reserve', kobo],
    ...(end === undefined ? [] : ([[end, kobo]] as const)),
  ]);
  if (refunded !== (end === 'void'))
    yield { subject: id, message: `a purchase that is ${state} is ${refunded ? '' : 'not '}refunded` };
}

function* unknownSubjects(left: ReadonlyMap<string, readonly LedgerFact[]>): Found {
  for (const [id, moves] of left)
    for (const { kind, kobo } of moves)
      yield { subject: id, message: `${kind} of ${kobo} kobo for something that does not exist` };
}
