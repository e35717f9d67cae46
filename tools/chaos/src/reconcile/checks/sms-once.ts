import { type Check, groupBy } from '../check.js';
import { type AttemptFact, type Facts, isDisturbed } from '../facts.js';

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
        if (before && isEarly(before, attempt, facts))
          yield { subject: id, message: describe(before, attempt) };
      }
      if (times > 1) yield { subject: id, message: `the carrier accepted it ${times} times` };
      if (times === 0 && (state === 'delivered' || state === 'undelivered'))
        yield { subject: id, message: `it is ${state}, and no carrier has accepted it` };
      if (times > 0 && (state === 'failed' || state === 'rejected'))
        yield { subject: id, message: `it is ${state} and refunded, and a carrier has accepted it` };
      accepted.delete(id);
    }
    for (const id of accepted.keys())
      yield { subject: id, message: 'a carrier has accepted it, and the delivery does not exist' };
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
