import { byId, type Check, groupBy } from '../check.js';
import type { CallbackFact, DeliveryFact, Facts, PurchaseFact } from '../facts.js';

interface ExpectedCallback {
  /** The delivery or purchase. */
  readonly subject: string;
  readonly type: string;
  readonly optional: boolean;
}

/** Every change is reported at least once with one id, and nothing else is. */
export const callbacks: Check = {
  name: 'callbacks',
  promise: 'every callback arrives at least once with one id and body, signed',
  *find(facts) {
    const received = groupBy(facts.received, ({ webhookId }) => webhookId);
    const stored = groupBy(facts.callbacks, placeOf);
    for (const { subject, type, optional } of expectedCallbacks(facts)) {
      const rows = stored.get(`${subject} ${type}`) ?? [];
      stored.delete(`${subject} ${type}`);
      if (rows.length === 0 && !optional) yield { subject, message: `${type} was never stored` };
      if (rows.length > 1) yield { subject, message: `${type} has ${rows.length} ids` };
      for (const { id, state } of rows)
        if (!received.has(id)) yield { subject, message: `${type} (${id}, ${state}) never arrived` };
    }
    for (const [place, rows] of stored)
      yield { subject: rows[0]?.id ?? '', message: `${place} reports a change that did not happen` };
    yield* faultsOfReceived(facts);
  },
};

const placeOf = ({ deliveryId, resourceId, type }: CallbackFact): string =>
  `${deliveryId ?? resourceId} ${type}`;

function* expectedCallbacks({ messages, deliveries, purchases }: Facts): Iterable<ExpectedCallback> {
  const withCallback = new Set(messages.filter(({ hasCallback }) => hasCallback).map(({ id }) => id));
  for (const delivery of deliveries)
    if (withCallback.has(delivery.messageId ?? '')) yield* expectedOf(delivery);
  for (const purchase of purchases) if (purchase.hasCallback) yield* expectedOfPurchase(purchase);
}

function* expectedOf({ id, state }: DeliveryFact): Iterable<ExpectedCallback> {
  const passesSent = state === 'sent' || state === 'delivered' || state === 'undelivered';
  if (passesSent || state === 'expired')
    yield { subject: id, type: 'message.sent', optional: state === 'expired' };
  if (!['queued', 'submitting', 'sent'].includes(state))
    yield { subject: id, type: `message.${state}`, optional: false };
}

function* expectedOfPurchase({ id, state }: PurchaseFact): Iterable<ExpectedCallback> {
  if (state !== 'duplicate') yield { subject: id, type: 'airtime.sent', optional: true };
  if (!['pending', 'submitting', 'sent'].includes(state))
    yield { subject: id, type: `airtime.${state}`, optional: false };
}

function* faultsOfReceived({ received, callbacks: rows }: Facts) {
  const known = byId(rows);
  for (const [id, group] of groupBy(received, ({ webhookId }) => webhookId)) {
    if (!known.has(id)) yield { subject: id, message: 'it arrived, and its row does not exist' };
    if (new Set(group.map(({ digest }) => digest)).size > 1)
      yield { subject: id, message: 'it arrived with different bodies' };
    if (group.some(({ validSignature }) => !validSignature))
      yield { subject: id, message: 'it arrived without a valid signature' };
  }
}
