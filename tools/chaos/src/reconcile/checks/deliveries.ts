import { typesOf } from '../../traffic/careful-client.js';
import type { IntentOf } from '../../traffic/intents.js';
import type { ClientAnswer } from '../../traffic/requests.js';
import { expectedAirtimeState, expectedSmsState } from '../../traffic/simulated-numbers.js';
import { firstAnswers, intentsByRef, isVerification, otpIdOf } from '../answers.js';
import { type Check, type Found, byId, groupBy } from '../check.js';
import { type AttemptFact, type Facts, type OtpFact, type PurchaseFact, isDisturbed } from '../facts.js';

/** A recipient gets a message once, because the simulator can be asked about attempts with an unknown outcome. */
export const smsOnce: Check = {
  name: 'sms-once',
  promise: 'no SMS is sent twice, or without a claim',
  *find(facts) {
    const accepted = groupBy(facts.accepted, ({ deliveryId }) => deliveryId);
    const attempts = groupBy(facts.attempts, ({ deliveryId }) => deliveryId);
    for (const { id, state } of facts.deliveries) {
      const times = accepted.get(id)?.length ?? 0;
      const own = attempts.get(id) ?? [];
      for (const [index, attempt] of own.entries()) {
        const before = own[index - 1];
        if (before && isEarly(before, attempt, facts)) yield [id, describe(before, attempt)];
      }
      if (times > 1) yield [id, `the carrier accepted it ${times} times`];
      if (times === 0 && (state === 'delivered' || state === 'undelivered'))
        yield [id, `it is ${state}, and no carrier has accepted it`];
      if (times > 0 && (state === 'failed' || state === 'rejected'))
        yield [id, `it is ${state} and refunded, and a carrier has accepted it`];
      accepted.delete(id);
    }
    for (const id of accepted.keys())
      yield [id, 'a carrier has accepted it, and the delivery does not exist'];
  },
};

/** Clocks of milliseconds are rounded. */
const toleranceMs = 5;

/**
 * Whether an attempt began before the one before it had ended or its lease had expired. If the worker may have died, it
 * may begin when the submission of that worker can no longer be in flight.
 */
function isEarly(before: AttemptFact, { startedAt }: AttemptFact, facts: Facts): boolean {
  if (before.endedAt !== null && before.endedAt <= startedAt) return false;
  const laterMs = startedAt.getTime() - before.startedAt.getTime() + toleranceMs;
  if (laterMs >= facts.deliveryLeaseMs) return false;
  return laterMs < facts.deliveryInFlightMs || !isDisturbed(facts, 'messaging', before.startedAt, startedAt);
}

/** With the times that show whether a worker, or only the record of an attempt, is wrong. */
function describe(before: AttemptFact, { attempt, startedAt, outcome }: AttemptFact): string {
  const end = before.endedAt === null ? 'has no end' : `ended at ${before.endedAt.toISOString()}`;
  return [
    `attempt ${attempt} (${outcome ?? 'no outcome'}) began at ${startedAt.toISOString()}`,
    `while attempt ${before.attempt} (${before.outcome ?? 'no outcome'}) was in progress`,
    `which began at ${before.startedAt.toISOString()} and ${end}`,
  ].join(', ');
}

/** The right token is accepted once, and a wrong one never. */
export const otpOnce: Check = {
  name: 'otp-once',
  promise: 'every OTP is verified once, by the right token',
  *find({ answers, otps }) {
    const rows = byId(otps);
    const verifications = groupBy(firstAnswers(answers).filter(isVerification), otpIdOf);
    for (const [id, group] of verifications) {
      yield* wrongAnswers(id, group);
      const row = rows.get(id);
      if (row) yield* wrongRow(row, group);
    }
    for (const { id, verified } of otps)
      if (verified > 0 && !verifications.has(id))
        yield [id, 'it is verified, and no client has sent its token'];
  },
};

/** An OTP whose token has six digits has five attempts. A repeated wrong token may use one each time. */
const maxAttempts = 5;

function isRejected({ status, body, attempts }: ClientAnswer): boolean {
  if (status === 429) return attempts >= maxAttempts && typesOf(body).includes('too_many_attempts');
  return status === 400 && typesOf(body).includes('token_mismatch');
}

function* wrongAnswers(id: string, group: readonly ClientAnswer[]): Found {
  const wrong = group.find(({ request }) => request.step === 'wrong');
  const right = group.filter(({ request, status }) => request.step !== 'wrong' && status !== 0);
  if (wrong && wrong.status !== 0 && !isRejected(wrong))
    yield [id, `${wrong.key} has a wrong token and was answered ${wrong.status}`];
  if (wrong?.status === 429) {
    for (const { key, status } of right)
      if (status !== 429) yield [id, `${key} was answered ${status}, and no attempt was left`];
    return;
  }
  const successes = right.filter(({ status }) => status === 200);
  if (successes.length > 1) yield [id, `${successes.map(({ key }) => key).join()} were all answered 200`];
  const isComplete = group.every(({ status }) => status !== 0);
  if (successes.length === 0 && isComplete) yield [id, 'no right token was answered 200'];
  for (const { key, status, body } of right)
    if (status !== 200 && !(status === 409 && typesOf(body).includes('already_verified')))
      yield [id, `${key} has the right token and was answered ${status}`];
}

/** As many verifications are stored as were answered 200; one more may belong to a request without an answer. */
function* wrongRow({ id, verified }: OtpFact, group: readonly ClientAnswer[]): Found {
  const successes = group.filter(({ status }) => status === 200).length;
  const isComplete = group.every(({ status }) => status !== 0);
  if (verified > 1 || verified < successes || (isComplete && verified !== successes))
    yield [id, `${verified} verifications are stored, and ${successes} were answered 200`];
}

/** A number is topped up once, and only if it is paid for. */
export const airtimeOnce: Check = {
  name: 'airtime-once',
  promise: 'no airtime is bought twice, or without payment',
  *find({ purchases, topUps }) {
    const calls = groupBy(topUps, ({ purchaseId }) => purchaseId);
    for (const { id, state } of purchases) {
      const own = calls.get(id) ?? [];
      const toppedUp = own.filter(({ outcome }) => outcome === 'success').length;
      if (own.length > 1) yield [id, `it was submitted ${own.length} times`];
      if (state === 'success' && toppedUp === 0)
        yield [id, 'it is paid for, and the provider never received it'];
      if ((state === 'failed' || state === 'duplicate') && toppedUp > 0)
        yield [id, `it is ${state} and refunded, and the number was topped up`];
      calls.delete(id);
    }
    for (const id of calls.keys()) yield [id, 'a top-up without a purchase'];
    const paired = purchases.filter(({ externalRef }) => externalRef !== null);
    for (const [ref, group] of groupBy(paired, ({ externalRef }) => externalRef ?? ''))
      if (group.filter(({ state }) => state === 'success').length > 1)
        yield [ref, 'two purchases with the same external_ref succeeded'];
  },
};

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
    if (workerDeaths > 2) yield [id, `${recipient} is abandoned: ${workerDeaths} workers died`];
    const expected = expectedSmsState(recipient);
    // An OTP that is verified before its submission is not sent. If its submission is unknown, no report follows.
    const isVerified =
      verified.has(otpId ?? '') && (state === 'sent' || (state === 'failed' && errorCode === 'verified'));
    if (state !== expected && !isVerified)
      yield [id, `${recipient} is ${state} (${errorCode ?? ''}), not ${expected}`];
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
      yield [ref, `${duplicates} of ${group.length} purchases are duplicates`];
  }
}

function* wrongPurchase(intent: IntentOf<'airtime'>, purchase: PurchaseFact): Found {
  const { id, recipient, kobo, state, errorCode } = purchase;
  if (recipient !== intent.recipient || kobo !== BigInt(intent.naira) * 100n)
    yield [id, `${kobo} kobo for ${recipient} are stored, not ${intent.naira} naira for ${intent.recipient}`];
  const expected = expectedAirtimeState(recipient);
  // A call that cannot start soon after the commit is never made: its worker died, or was too slow.
  const neverArrived = state === 'failed' && errorCode === 'never_arrived';
  if (state !== expected && state !== 'duplicate' && !neverArrived)
    yield [id, `${recipient} is ${state} (${errorCode ?? ''}), not ${expected}`];
}

function* wrongSubmissions({ deliveries, accepted, purchases, topUps }: Facts): Found {
  const [delivered, bought] = [byId(deliveries), byId(purchases)];
  for (const { deliveryId, recipient } of accepted) {
    const row = delivered.get(deliveryId);
    if (row && row.recipient !== recipient)
      yield [deliveryId, `it was sent to ${recipient}, not to ${row.recipient}`];
  }
  for (const { purchaseId, recipient, kobo } of topUps) {
    const row = bought.get(purchaseId);
    if (row && (row.recipient !== recipient || row.kobo !== kobo))
      yield [
        purchaseId,
        `${recipient} was topped up with ${kobo} kobo, not ${row.recipient} with ${row.kobo}`,
      ];
  }
}
