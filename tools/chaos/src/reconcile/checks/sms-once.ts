import { type Check, groupBy } from '../check.js';
import type { AttemptFact, Facts } from '../facts.js';

/** A recipient gets a message twice only if the outcome of an attempt was unknown. */
export const smsOnce: Check = {
  name: 'sms-once',
  promise: 'SMS twice only where the outcome of an attempt was unknown',
  *find(facts) {
    const accepted = groupBy(facts.accepted, ({ deliveryId }) => deliveryId);
    const attempts = groupBy(facts.attempts, ({ deliveryId }) => deliveryId);
    for (const { id, state } of facts.deliveries) {
      const times = accepted.get(id)?.length ?? 0;
      const own = attempts.get(id) ?? [];
      const early = own.find((attempt, index) => isEarly(own[index - 1], attempt, facts));
      if (early)
        yield { subject: id, message: `attempt ${early.attempt} began while the one before was in progress` };
      if (times > 1 && !own.some(({ outcome }) => isUnknown(outcome)))
        yield { subject: id, message: `the carrier accepted it ${times} times, and every outcome was known` };
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

const isUnknown = (outcome: string | null): boolean => outcome === null || outcome === 'unknown';

/** Clocks of milliseconds are rounded. */
const toleranceMs = 5;

/**
 * Whether an attempt began before the one before it had ended, its lease had expired, or the worker that made it could
 * have died.
 */
function isEarly(
  before: AttemptFact | undefined,
  { startedAt }: AttemptFact,
  { deliveryLeaseMs, disturbances }: Facts,
): boolean {
  if (!before) return false;
  if (before.endedAt !== null && before.endedAt <= startedAt) return false;
  if (startedAt.getTime() - before.startedAt.getTime() >= deliveryLeaseMs - toleranceMs) return false;
  return !disturbances.some((at) => at >= before.startedAt && at <= startedAt);
}
