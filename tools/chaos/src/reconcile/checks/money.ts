import { createdBy, firstAnswers } from '../answers.js';
import { type Check, type Found, byId, groupBy } from '../check.js';
import type { DeliveryFact, Facts, LedgerFact, MessageFact, PurchaseFact } from '../facts.js';

/** Whether the charge of a delivery in this state is refunded. */
const isRefundable = ({ state, errorCode }: Pick<DeliveryFact, 'state' | 'errorCode'>): boolean =>
  state === 'rejected' || state === 'failed' || (state === 'undelivered' && errorCode === 'dnd');

/** By message: what its deliveries cost. */
function costsOf({ deliveries }: Pick<Facts, 'deliveries'>): ReadonlyMap<string, bigint> {
  const costs = new Map<string, bigint>();
  for (const { messageId, chargeKobo } of deliveries)
    if (messageId !== null) costs.set(messageId, (costs.get(messageId) ?? 0n) + chargeKobo);
  return costs;
}

/** The part of the charge of a smartlist message that its deliveries did not use. It is refunded. */
const unusedKobo = (
  { id, isSmartlist, chargeKobo }: MessageFact,
  costs: ReadonlyMap<string, bigint>,
): bigint => (isSmartlist ? chargeKobo - (costs.get(id) ?? 0n) : 0n);

/** What moved is what the rows say, once each. */
export const ledger: Check = {
  name: 'ledger',
  promise: 'the ledger is exact: off by 0 kobo',
  *find(facts) {
    for (const finding of facts.ledgerFindings) yield ['ledger check', finding];
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
        yield [id, `the message costs ${chargeKobo} kobo, and its deliveries ${cost}`];
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
  if (wanted !== has) yield [id, `the ${what} should have ${wanted || 'no entry'}, and has ${has || 'none'}`];
}

function* compareDelivery(delivery: DeliveryFact, found: readonly LedgerFact[]): Found {
  const { id, otpId, state, refunded, chargeKobo } = delivery;
  if (refunded !== isRefundable(delivery))
    yield [id, `a delivery that is ${state} is ${refunded ? '' : 'not '}refunded`];
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
    yield [id, `a purchase that is ${state} is ${refunded ? '' : 'not '}refunded`];
}

function* unknownSubjects(left: ReadonlyMap<string, readonly LedgerFact[]>): Found {
  for (const [id, moves] of left)
    for (const { kind, kobo } of moves)
      yield [id, `${kind} of ${kobo} kobo for something that does not exist`];
}

/** The balance that clients compute from their answers and the final states is the one they are shown. */
export const balances: Check = {
  name: 'balances',
  promise: 'each balance is start − charges + refunds, as clients compute it',
  *find(facts) {
    // A request without an answer may have been charged.
    if (facts.answers.some(({ status }) => status === 0)) return;
    const spent = spentByOrganisation(facts);
    for (const { id, startKobo, availableKobo, reservedKobo } of facts.organisations) {
      const expected = startKobo - (spent.get(id) ?? 0n);
      if (availableKobo !== expected) yield [id, `${availableKobo} kobo are available, not ${expected}`];
      if (reservedKobo !== 0n) yield [id, `${reservedKobo} kobo are still reserved`];
    }
  },
};

function spentByOrganisation(facts: Facts): Map<string, bigint> {
  const spent = new Map<string, bigint>();
  const add = (organisationId: string | undefined, kobo: bigint): void => {
    if (organisationId !== undefined) spent.set(organisationId, (spent.get(organisationId) ?? 0n) + kobo);
  };
  const [messages, purchases] = [byId(facts.messages), byId(facts.purchases)];
  for (const answer of firstAnswers(facts.answers)) {
    const created = createdBy(answer);
    if (created?.what === 'message') {
      const { meta } = answer.body as { meta: { estimate: { charge: number } } };
      add(messages.get(created.id)?.organisationId, toKobo(meta.estimate.charge));
    } else if (created?.what === 'purchase') {
      const { meta } = answer.body as { meta: { charge: { amount: number } } };
      const { organisationId, state } = purchases.get(created.id) ?? {};
      if (state !== 'failed' && state !== 'duplicate') add(organisationId, toKobo(meta.charge.amount));
    }
  }
  for (const { organisationId, chargeKobo } of facts.otps) add(organisationId, chargeKobo);
  const costs = costsOf(facts);
  for (const message of facts.messages) add(message.organisationId, -unusedKobo(message, costs));
  for (const delivery of facts.deliveries)
    if (isRefundable(delivery)) add(delivery.organisationId, -delivery.chargeKobo);
  return spent;
}

const toKobo = (naira: number): bigint => BigInt(Math.round(naira * 100));
