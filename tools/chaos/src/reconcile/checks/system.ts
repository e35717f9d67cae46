import type { UnexpectedExit } from '../../system/app-process.js';
import type { ReceivedCallback } from '../../traffic/callback-receiver.js';
import { isQueried } from '../../traffic/simulated-numbers.js';
import { intentsByRef } from '../answers.js';
import { type Check, type Found, byId, groupBy } from '../check.js';
import {
  type CallbackFact,
  type DeliveryFact,
  type Facts,
  type PurchaseFact,
  isDisturbed,
} from '../facts.js';

interface ExpectedCallback {
  /** The delivery or purchase. */
  readonly subject: string;
  /** The message or purchase. */
  readonly resourceId: string;
  readonly organisationId: string;
  readonly type: string;
  /** `usually`: if a machine is overloaded, a lease may expire although its worker runs, and another worker goes on. */
  readonly presence: 'always' | 'usually' | 'sometimes';
}

/** Every change is reported at least once with one id, and nothing else is. */
export const callbacks: Check = {
  name: 'callbacks',
  promise: 'every callback arrives at least once with one id and body, signed',
  *find(facts) {
    const received = groupBy(facts.received, ({ webhookId }) => webhookId);
    const stored = groupBy(facts.callbacks, placeOf);
    const usual: { readonly subject: string; readonly type: string; readonly isMissing: boolean }[] = [];
    for (const expected of expectedCallbacks(facts)) {
      const { subject, type, presence } = expected;
      const rows = stored.get(`${subject} ${type}`) ?? [];
      stored.delete(`${subject} ${type}`);
      if (rows.length === 0 && presence === 'always') yield [subject, neverStored(type)];
      if (presence === 'usually') usual.push({ subject, type, isMissing: rows.length === 0 });
      if (rows.length > 1) yield [subject, `${type} has ${rows.length} ids`];
      for (const row of rows) {
        if (!received.has(row.id)) yield [subject, `${type} (${row.id}, ${row.state}) never arrived`];
        if (row.resourceId !== expected.resourceId || row.organisationId !== expected.organisationId)
          yield [subject, `${type} (${row.id}) belongs to another resource or organisation`];
      }
    }
    const missing = usual.filter(({ isMissing }) => isMissing);
    if (missing.length > usual.length / 4)
      for (const { subject, type } of missing) yield [subject, neverStored(type)];
    for (const [place, rows] of stored)
      yield [rows[0]?.id ?? '', `${place} reports a change that did not happen`];
    yield* wrongArrivals(facts);
  },
};

const neverStored = (type: string): string => `${type} was never stored`;

const placeOf = ({ deliveryId, resourceId, type }: CallbackFact): string =>
  `${deliveryId ?? resourceId} ${type}`;

/** Of the messages and purchases that were requested with a callback. */
function* expectedCallbacks(facts: Facts): Iterable<ExpectedCallback> {
  const intents = intentsByRef(facts.answers);
  const hasCallback = ({ externalRef }: { readonly externalRef: string | null }): boolean => {
    const intent = intents.get(externalRef ?? '');
    return intent !== undefined && 'callback' in intent && intent.callback;
  };
  const messages = new Set(facts.messages.filter(hasCallback).map(({ id }) => id));
  for (const delivery of facts.deliveries)
    if (messages.has(delivery.messageId ?? '')) yield* expectedOf(delivery);
  for (const purchase of facts.purchases)
    if (hasCallback(purchase)) yield* expectedOfPurchase(purchase, facts);
}

function* expectedOf({ id, organisationId, messageId, state }: DeliveryFact): Iterable<ExpectedCallback> {
  const common = { subject: id, organisationId, resourceId: messageId ?? '' };
  const passesSent = ['sent', 'delivered', 'read', 'undelivered'].includes(state);
  if (passesSent || state === 'expired')
    yield { ...common, type: 'message.sent', presence: state === 'expired' ? 'sometimes' : 'always' };
  if (!['queued', 'submitting', 'sent'].includes(state))
    yield { ...common, type: `message.${state}`, presence: 'always' };
}

function* expectedOfPurchase(purchase: PurchaseFact, facts: Facts): Iterable<ExpectedCallback> {
  const { id, organisationId, recipient, state, createdAt, endedAt } = purchase;
  const common = { subject: id, organisationId, resourceId: id };
  // If a worker dies, the next one may find the result before anything was stored as sent.
  const isLikely = isQueried(recipient) && !isDisturbed(facts, 'airtime', createdAt, endedAt ?? createdAt);
  if (state !== 'duplicate')
    yield { ...common, type: 'airtime.sent', presence: isLikely ? 'usually' : 'sometimes' };
  if (!['pending', 'submitting', 'sent'].includes(state))
    yield { ...common, type: `airtime.${state}`, presence: 'always' };
}

const isOf = (row: CallbackFact, arrival: ReceivedCallback): boolean =>
  arrival.type === row.type &&
  arrival.organisationId === row.organisationId &&
  arrival.resourceId === row.resourceId &&
  (arrival.deliveryId ?? null) === row.deliveryId;

function* wrongArrivals({ received, callbacks: rows }: Facts): Found {
  const known = byId(rows);
  for (const [id, group] of groupBy(received, ({ webhookId }) => webhookId)) {
    const row = known.get(id);
    if (!row) yield [id, 'it arrived, and its row does not exist'];
    const other = row && group.find((arrival) => !isOf(row, arrival));
    if (other) yield [id, `${other.type} of ${other.resourceId} arrived, not ${placeOf(row)}`];
    if (new Set(group.map(({ digest }) => digest)).size > 1) yield [id, 'it arrived with different bodies'];
    if (group.some(({ validSignature }) => !validSignature))
      yield [id, 'it arrived without a valid signature'];
  }
}

/** A process that hangs ends itself within this time. */
const noticeMs = 60_000;

/**
 * Only faults end processes. A process may hang, and end itself as documented, after it was disturbed itself. A fault of a
 * server is no excuse: a process has to reconnect.
 */
export const processes: Check = {
  name: 'processes',
  promise: 'no process crashes',
  *find(facts) {
    const disturbances = facts.disturbances.filter(({ target }) => target !== '');
    for (const exit of facts.exits) {
      const { process, reason, lastLogLine, at } = exit;
      const from = new Date(at.getTime() - noticeMs);
      if (!isWatchdog(exit) || !isDisturbed({ disturbances }, process, from, at))
        yield [process, `ended with ${reason}: ${lastLogLine}`];
    }
  },
};

const isWatchdog = ({ lastLogLine }: UnexpectedExit): boolean => lastLogLine.includes(': ending the process');

/** How often a process ended itself because it hung. */
export const countWatchdogExits = (exits: readonly UnexpectedExit[]): number =>
  exits.filter(isWatchdog).length;

/** The kinds of faults that may find nothing to disturb. With so many tries, one of them must. */
const uncertain: ReadonlySet<string> = new Set([
  'kill-at-commit',
  'slow-then-kill',
  'cut-postgres',
  'lose-answers',
]);
const minTries = 3;

/** A run in which nothing was disturbed, or nothing was accepted, proves nothing. */
export const coverage: Check = {
  name: 'coverage',
  promise: 'every kind of fault took effect, and requests of every kind were accepted',
  *find({ answers, faults }) {
    if (!faults.some(({ effect }) => effect !== undefined)) yield ['faults', 'no fault took effect'];
    for (const [fault, tries] of groupBy(faults, (one) => one.fault))
      if (
        tries.length >= (uncertain.has(fault) ? minTries : 1) &&
        tries.every(({ effect }) => effect === undefined)
      )
        yield [fault, `none of ${tries.length} faults took effect`];
    for (const [kind, group] of groupBy(answers, ({ request }) => request.intent.kind))
      if (!group.some(({ status }) => status === 200))
        yield [kind, `none of ${group.length} requests was accepted`];
  },
};
