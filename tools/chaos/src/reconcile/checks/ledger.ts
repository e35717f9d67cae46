import { type Check, groupBy } from '../check.js';
import type { DeliveryFact, Facts, LedgerFact, PurchaseFact } from '../facts.js';

type Found = Iterable<{ subject: string; message: string }>;

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
    for (const { id, chargeKobo, returnedKobo } of facts.messages)
      yield* compare('message', id, take(id), [
        ['charge', chargeKobo],
        ['refund', returnedKobo],
      ]);
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
    yield* unknownSubjects(facts, moved);
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

/** Whether the charge of a delivery in this state is refunded. */
export const isRefundable = ({ state, errorCode }: Pick<DeliveryFact, 'state' | 'errorCode'>): boolean =>
  state === 'rejected' || state === 'failed' || (state === 'undelivered' && errorCode === 'dnd');

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

function* unknownSubjects(_: Facts, left: ReadonlyMap<string, readonly LedgerFact[]>): Found {
  for (const [id, moves] of left)
    for (const { kind, kobo } of moves)
      yield { subject: id, message: `${kind} of ${kobo} kobo for something that does not exist` };
}
