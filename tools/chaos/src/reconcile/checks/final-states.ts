import type { AirtimeIntent } from '../../traffic/intents.js';
import { expectedAirtimeState, expectedSmsState } from '../../traffic/simulated-numbers.js';
import { intentsByRef } from '../answers.js';
import { byId, type Check, type Found, groupBy } from '../check.js';
import type { Facts, PurchaseFact } from '../facts.js';

/** Every delivery and purchase ends in the state that its number determines, and the provider got what was asked for. */
export const finalStates: Check = {
  name: 'final-states',
  promise: 'every message and purchase has the result that its number determines',
  *find(facts) {
    yield* wrongDeliveries(facts);
    yield* wrongPurchases(facts);
    yield* wrongSubmissions(facts);
  },
};

function* wrongDeliveries({ deliveries, otps }: Facts): Found {
  const verified = new Set(otps.flatMap(({ id, verified: count }) => (count > 0 ? [id] : [])));
  for (const { id, otpId, recipient, state, errorCode, workerDeaths } of deliveries) {
    // No delivery ends a worker, so none may be abandoned. That follows the third death, because the simulator can be asked;
    // after the second, a report may still end it.
    if (workerDeaths > 2)
      yield { subject: id, message: `${recipient} is abandoned: ${workerDeaths} workers died` };
    const expected = expectedSmsState(recipient);
    // An OTP that is verified before its submission is not sent. If its submission is unknown, no report follows.
    const isVerified =
      verified.has(otpId ?? '') && (state === 'sent' || (state === 'failed' && errorCode === 'verified'));
    if (state !== expected && !isVerified)
      yield { subject: id, message: `${recipient} is ${state} (${errorCode ?? ''}), not ${expected}` };
  }
}

function* wrongPurchases(facts: Facts): Found {
  const intents = intentsByRef(facts.answers);
  for (const [ref, group] of groupBy(facts.purchases, ({ externalRef }) => externalRef ?? '')) {
    const intent = intents.get(ref);
    if (intent?.kind !== 'airtime') continue;
    for (const purchase of group) yield* wrongPurchase(intent, purchase);
    const duplicates = group.filter(({ state }) => state === 'duplicate').length;
    // A purchase that has failed does not make the other one a duplicate.
    const failed = group.some(({ state }) => state === 'failed');
    if (duplicates !== group.length - 1 && !(duplicates === 0 && failed))
      yield { subject: ref, message: `${duplicates} of ${group.length} purchases are duplicates` };
  }
}

function* wrongPurchase(intent: AirtimeIntent, purchase: PurchaseFact): Found {
  const { id, recipient, kobo, state, errorCode } = purchase;
  if (recipient !== intent.recipient || kobo !== BigInt(intent.naira) * 100n)
    yield {
      subject: id,
      message: `${kobo} kobo for ${recipient} are stored, not ${intent.naira} naira for ${intent.recipient}`,
    };
  const expected = expectedAirtimeState(recipient);
  // A call that cannot start soon after the commit is never made: its worker died, or was too slow.
  const neverArrived = state === 'failed' && errorCode === 'never_arrived';
  if (state !== expected && state !== 'duplicate' && !neverArrived)
    yield { subject: id, message: `${recipient} is ${state} (${errorCode ?? ''}), not ${expected}` };
}

function* wrongSubmissions({ deliveries, accepted, purchases, topUps }: Facts): Found {
  const [delivered, bought] = [byId(deliveries), byId(purchases)];
  for (const { deliveryId, recipient } of accepted) {
    const row = delivered.get(deliveryId);
    if (row && row.recipient !== recipient)
      yield { subject: deliveryId, message: `it was sent to ${recipient}, not to ${row.recipient}` };
  }
  for (const { purchaseId, recipient, kobo } of topUps) {
    const row = bought.get(purchaseId);
    if (row && (row.recipient !== recipient || row.kobo !== kobo))
      yield {
        subject: purchaseId,
        message: `${recipient} was topped up with ${kobo} kobo, not ${row.recipient} with ${row.kobo}`,
      };
  }
}
