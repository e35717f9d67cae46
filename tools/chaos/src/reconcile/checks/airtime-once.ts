import { type Check, groupBy } from '../check.js';

/** A number is topped up once, and only if it is paid for. */
export const airtimeOnce: Check = {
  name: 'airtime-once',
  promise: 'no airtime is bought twice, or without payment',
  *find({ purchases, topUps }) {
    const calls = groupBy(topUps, ({ purchaseId }) => purchaseId);
    for (const { id, state } of purchases) {
      const own = calls.get(id) ?? [];
      const toppedUp = own.filter(({ outcome }) => outcome === 'success').length;
      if (own.length > 1) yield { subject: id, message: `it was submitted ${own.length} times` };
      if (state === 'success' && toppedUp === 0)
        yield { subject: id, message: 'it is paid for, and the provider never received it' };
      if ((state === 'failed' || state === 'duplicate') && toppedUp > 0)
        yield { subject: id, message: `it is ${state} and refunded, and the number was topped up` };
      calls.delete(id);
    }
    for (const id of calls.keys()) yield { subject: id, message: 'a top-up without a purchase' };
    const paired = purchases.filter(({ externalRef }) => externalRef !== null);
    for (const [ref, group] of groupBy(paired, ({ externalRef }) => externalRef ?? ''))
      if (group.filter(({ state }) => state === 'success').length > 1)
        yield { subject: ref, message: 'two purchases with the same external_ref succeeded' };
  },
};
