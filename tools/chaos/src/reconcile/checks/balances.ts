import { createdBy, firstAnswers } from '../answers.js';
import { byId, type Check } from '../check.js';
import type { Facts } from '../facts.js';
import { costsOf, isRefundable, unusedKobo } from './refunds.js';

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
      if (availableKobo !== expected)
        yield { subject: id, message: `${availableKobo} kobo are available, not ${expected}` };
      if (reservedKobo !== 0n) yield { subject: id, message: `${reservedKobo} kobo are still reserved` };
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
