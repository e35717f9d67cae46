import type { DeliveryState } from '@gangan/database';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dnd, noAnswer, noProvider, noReport, notSubmitted, suspended } from './reasons.js';
import type { RetryPolicy } from './retry/retry-policy.js';
import { type Change, type DeliveryEvent, type DeliverySnapshot, rank, transition } from './transition.js';

const reason = { code: 'x', message: 'why' };

const policy: RetryPolicy = {
  validityMs: 1_000_000,
  delaysMs: [5_000, 30_000],
  askIntervalMs: 30_000,
  maxUnroutableMs: 300_000,
  providersPerRound: 1,
  routeId: null,
  hasNextProvider: false,
  hasOtherProvider: false,
  canAsk: false,
};

const events = {
  accepted: { type: 'accepted', providerReference: 'ref' },
  transient: { type: 'refused', retryable: true, reason },
  onlyElsewhere: { type: 'refused', retryable: true, onlyElsewhere: true, reason },
  inQuietHours: { type: 'refused', retryable: true, quietMs: 40_000_000, reason },
  quiet: { type: 'quiet', quietMs: 40_000_000 },
  rejected: { type: 'refused', retryable: false, state: 'rejected', reason },
  failed: { type: 'refused', retryable: false, state: 'failed', reason },
  unanswered: { type: 'unanswered' },
  blocked: { type: 'blocked', reason: dnd },
  unroutable: { type: 'unroutable' },
  lapsed: { type: 'lapsed' },
  canceled: { type: 'canceled' },
  paused: { type: 'paused' },
  exhausted: { type: 'exhausted' },
  abandoned: { type: 'abandoned' },
  acceptedEarlier: { type: 'accepted', providerReference: 'ref', provider: 'first', isEarlier: true },
  refunded: { type: 'refunded' },
  delivered: { type: 'reported', state: 'delivered' },
  undelivered: { type: 'reported', state: 'undelivered', reason },
  undeliveredDnd: { type: 'reported', state: 'undelivered', reason: dnd },
  reportedExpired: { type: 'reported', state: 'expired' },
  expired: { type: 'expired' },
} as const satisfies Record<string, DeliveryEvent>;

type EventName = keyof typeof events;
const eventNames = Object.keys(events) as EventName[];
const states = Object.keys(rank) as DeliveryState[];

const final = { refund: false, notify: true };
const open = { refund: false, notify: false };
const held = { ...open, delayMs: 40_000_000, heldMs: 40_000_000 };

/** A first attempt of a delivery that was never sent before. All cells that are not listed change nothing. */
const table: Partial<Record<DeliveryState, Partial<Record<EventName, Change>>>> = {
  queued: {
    blocked: { ...final, state: 'rejected', reason: dnd, refund: true },
    unroutable: { ...open, state: 'queued', delayMs: 30_000 },
    quiet: { ...held, state: 'queued' },
    lapsed: { ...final, state: 'failed', reason: suspended, refund: true },
    canceled: { state: 'canceled', notify: false, refund: true },
  },
  submitting: {
    accepted: {
      ...final,
      state: 'sent',
      delayMs: 1_000_000,
      outcome: 'accepted',
      providerReference: 'ref',
    },
    transient: { ...open, state: 'queued', delayMs: 5_000, outcome: 'transient', reason },
    onlyElsewhere: { ...final, state: 'failed', outcome: 'failed', reason, refund: true },
    inQuietHours: { ...held, state: 'queued', outcome: 'transient', reason, quietMs: 40_000_000 },
    rejected: { ...final, state: 'rejected', outcome: 'rejected', reason, refund: true },
    failed: { ...final, state: 'failed', outcome: 'failed', reason, refund: true },
    unanswered: { ...open, state: 'submitting', delayMs: 5_000, outcome: 'unknown', reason: noAnswer },
    blocked: { ...final, state: 'rejected', outcome: 'rejected', reason: dnd, refund: true },
    unroutable: { ...open, state: 'submitting', delayMs: 30_000 },
    quiet: { ...held, state: 'submitting' },
    canceled: { state: 'canceled', outcome: 'failed', notify: false, refund: true },
    paused: { ...open, state: 'queued', delayMs: 0, outcome: 'transient', reason: notSubmitted },
    lapsed: { ...open, state: 'submitting', delayMs: 900_000, neverSubmittedAgain: true },
    exhausted: { ...open, state: 'submitting', delayMs: 900_000, neverSubmittedAgain: true },
    abandoned: {
      ...open,
      state: 'submitting',
      delayMs: 900_000,
      outcome: 'unknown',
      reason: noAnswer,
      neverSubmittedAgain: true,
    },
    acceptedEarlier: {
      ...final,
      state: 'sent',
      delayMs: 1_000_000,
      references: { provider: 'first', names: ['ref'] },
    },
    refunded: { ...final, state: 'failed', reason: noAnswer, refund: true },
  },
  sent: {
    delivered: { ...final, state: 'delivered' },
    undelivered: { ...final, state: 'undelivered', reason },
    undeliveredDnd: { ...final, state: 'undelivered', reason: dnd, refund: true },
    reportedExpired: { ...final, state: 'expired' },
    expired: { ...final, state: 'expired', reason: noReport },
  },
};

const snapshot = (state: DeliveryState, changed: Partial<DeliverySnapshot> = {}): DeliverySnapshot => ({
  state,
  attempt: 1,
  ageMs: 100_000,
  outcomeUnknown: false,
  unansweredElsewhere: false,
  quietMs: null,
  ...changed,
});

const cells = states.flatMap((state) => eventNames.map((name) => ({ state, name })));

describe('a transition', () => {
  it.each(cells)('from $state on $name', ({ state, name }) => {
    const change = transition(snapshot(state), events[name], policy);
    expect(withoutAbsent(change)).toEqual(table[state]?.[name]);
  });

  it('retries until the validity period ends if the provider accepts no messages, after any number of attempts', () => {
    const busy = { ...events.transient, keepTrying: true } as const;
    const after = (attempt: number, ageMs: number, own: RetryPolicy = policy) =>
      transition(snapshot('submitting', { attempt, ageMs }), busy, own);
    expect([1, 2, 3, 50].map((attempt) => after(attempt, 100_000)?.delayMs)).toEqual([
      5_000, 30_000, 30_000, 30_000,
    ]);
    const two = { ...policy, providersPerRound: 2, hasNextProvider: true };
    expect(after(50, 100_000, two)).toMatchObject({ state: 'queued', delayMs: 0 });
    expect(after(3, 1_000_000)).toMatchObject({ state: 'failed', refund: true });
    expect(transition(snapshot('submitting', { attempt: 3 }), events.transient, policy)).toMatchObject({
      state: 'failed',
      refund: true,
    });
  });

  it('waits as long as the provider says, longer for an older delivery, unless there is another provider', () => {
    const soon = { ...events.transient, keepTrying: true, retryInMs: 6_000 } as const;
    const after = (attempt: number, ageMs: number, own: RetryPolicy = policy) =>
      transition(snapshot('submitting', { attempt, ageMs }), soon, own);
    expect([1, 50].map((attempt) => after(attempt, 0)?.delayMs)).toEqual([6_000, 6_000]);
    expect(after(50, 120_000)?.delayMs).toBe(18_000);
    const two = { ...policy, providersPerRound: 2, hasNextProvider: true };
    expect(after(1, 0, two)).toMatchObject({ state: 'queued', delayMs: 0 });
    expect(after(50, 1_000_000)).toMatchObject({ state: 'failed', refund: true });
  });

  it('waits longer for a provider if the delivery is older, except for OTPs', () => {
    const long = { ...policy, validityMs: 100_000_000 };
    const delays = (own: RetryPolicy, retryInMs?: number) =>
      [0, 300_000, 600_000, 2_000_000, 50_000_000].map(
        (ageMs) =>
          transition(
            snapshot('queued', { ageMs }),
            { type: 'unroutable', ...(retryInMs !== undefined && { retryInMs }) },
            own,
          )?.delayMs,
      );
    expect(delays(long)).toEqual([30_000, 30_000, 60_000, 200_000, 300_000]);
    expect(delays(long, 100_000)).toEqual([30_000, 30_000, 60_000, 100_000, 100_000]);
    expect(delays(long, 10)).toEqual([1_000, 1_000, 1_000, 1_000, 1_000]);
    expect(delays({ ...long, maxUnroutableMs: 30_000 })).toEqual([30_000, 30_000, 30_000, 30_000, 30_000]);
  });

  it('fails a delivery after its last attempt', () => {
    const last = snapshot('submitting', { attempt: 3 });
    expect(transition(last, events.transient, policy)).toMatchObject({
      state: 'failed',
      refund: true,
      outcome: 'transient',
      reason,
    });
  });

  it('tries the next provider of a round at once, and waits after a round', () => {
    const two = { ...policy, providersPerRound: 2 };
    const next = (attempt: number, hasNextProvider: boolean) =>
      transition(snapshot('submitting', { attempt }), events.transient, { ...two, hasNextProvider })?.delayMs;
    expect([next(1, true), next(2, false), next(3, true), next(6, false)]).toEqual([0, 5_000, 0, undefined]);
  });

  it('handles a refusal that concerns one provider only like a transient failure', () => {
    const two = { ...policy, providersPerRound: 2 };
    for (const attempt of [1, 2, 3, 4, 5, 6])
      for (const hasNextProvider of [true, false]) {
        const own = { ...two, hasNextProvider, hasOtherProvider: true };
        const delivery = snapshot('submitting', { attempt });
        const change = transition(delivery, events.transient, own);
        expect(transition(delivery, events.onlyElsewhere, own)).toEqual({ ...change, refusedForGood: true });
      }
  });

  it('lets other providers have a message that one refuses in its quiet hours, and then waits until they end', () => {
    const two = { ...policy, providersPerRound: 2, hasOtherProvider: true };
    const after = (
      event: DeliveryEvent,
      own: Partial<RetryPolicy>,
      changed: Partial<DeliverySnapshot> = {},
    ) => transition(snapshot('submitting', changed), event, { ...two, ...own });
    const queued = { state: 'queued', refund: false };
    const { inQuietHours } = events;
    expect(after(inQuietHours, { hasNextProvider: true })).toMatchObject({ ...queued, delayMs: 0 });
    expect(after(inQuietHours, {})).toMatchObject({ ...queued, delayMs: 5_000, quietMs: 40_000_000 });
    const later = { ...queued, delayMs: 39_000_000, heldMs: 39_000_000 };
    const quietMs = 39_000_000;
    const last = { attempt: 6, quietMs };
    expect(after(inQuietHours, {}, last)).toMatchObject(later);
    // What the other provider says of it.
    expect(after(events.transient, {}, { attempt: 2, quietMs })).toMatchObject({ ...queued, delayMs: 5_000 });
    expect(after(events.transient, {}, last)).toMatchObject(later);
    const none = { hasOtherProvider: false };
    expect(after(events.onlyElsewhere, none, { attempt: 2, quietMs })).toMatchObject({
      ...later,
      refusedForGood: true,
    });
    expect(after(events.failed, none, last)).toMatchObject({ state: 'failed', refund: true });
  });

  it('waits for the end of quiet hours only within the validity period, which they do not count towards', () => {
    const old = { ageMs: policy.validityMs, quietMs: 1_000 };
    expect(transition(snapshot('submitting', old), events.inQuietHours, policy)).toMatchObject({
      state: 'failed',
      refund: true,
    });
    expect(transition(snapshot('queued', old), events.quiet, policy)).toMatchObject({ state: 'failed' });
  });

  it('keeps a message that a provider may have accepted for it until its quiet hours end', () => {
    const unsure = { outcomeUnknown: true };
    expect(transition(snapshot('submitting', unsure), events.inQuietHours, policy)).toMatchObject({
      ...held,
      state: 'submitting',
      outcome: 'transient',
    });
    expect(
      transition(snapshot('submitting', { ...unsure, attempt: 3 }), events.inQuietHours, policy),
    ).toMatchObject({ state: 'submitting', delayMs: 900_000, neverSubmittedAgain: true });
  });

  it.each([
    ['cannot be asked', false, { state: 'submitting', outcome: 'transient', delayMs: 5_000 }],
    ['was asked', true, { state: 'queued', outcome: 'transient', delayMs: 5_000 }],
  ])('after an uncertain attempt handles a refusal by a provider that %s', (_, canAsk, expected) => {
    const outcomeUnknown = snapshot('submitting', { outcomeUnknown: true });
    expect(transition(outcomeUnknown, events.transient, { ...policy, canAsk })).toMatchObject(expected);
  });

  it('blocks an uncertain delivery only if its provider was asked', () => {
    const outcomeUnknown = snapshot('submitting', { outcomeUnknown: true });
    expect(transition(outcomeUnknown, events.blocked, policy)).toMatchObject({
      state: 'submitting',
      refund: false,
    });
    expect(transition(outcomeUnknown, events.blocked, { ...policy, canAsk: true })).toMatchObject({
      state: 'rejected',
      refund: true,
    });
  });

  it('ends or holds a delivery of a canceled or paused message only if no provider can have it', () => {
    const unsure = snapshot('submitting', { outcomeUnknown: true });
    const asked = { ...policy, canAsk: true };
    expect(transition(unsure, events.canceled, policy)).toEqual({
      ...open,
      state: 'submitting',
      delayMs: 900_000,
      neverSubmittedAgain: true,
    });
    expect(transition(unsure, events.paused, policy)).toEqual({
      ...open,
      state: 'submitting',
      delayMs: 30_000,
    });
    expect(transition(unsure, events.canceled, asked)).toMatchObject({ state: 'canceled', refund: true });
    expect(transition(unsure, events.paused, asked)).toMatchObject({ state: 'queued', delayMs: 0 });
    const old = { ...unsure, ageMs: policy.validityMs };
    for (const event of [events.canceled, events.paused])
      expect(transition(old, event, policy)).toMatchObject({ state: 'expired', refund: false });
  });

  it('asks at intervals, or waits until the delivery expires, after the last attempt without an answer', () => {
    const last = snapshot('submitting', { attempt: 3 });
    const delay = (canAsk: boolean) => transition(last, events.unanswered, { ...policy, canAsk })?.delayMs;
    expect([delay(true), delay(false)]).toEqual([30_000, 900_000]);
  });

  it('waits until the delivery expires if its provider gave no answer and must not get it again', () => {
    const waiting = { ...policy, ifUnanswered: 'wait' } as const;
    const first = snapshot('submitting');
    expect(transition(first, events.unanswered, waiting)).toMatchObject({
      state: 'submitting',
      delayMs: 900_000,
      outcome: 'unknown',
      refund: false,
    });
    const old = snapshot('submitting', { ageMs: policy.validityMs });
    expect(transition(old, events.unanswered, waiting)).toMatchObject({ state: 'expired', refund: false });
  });

  it('lets the next provider have a delivery at once that got no answer, if its provider allows that', () => {
    const next = { ...policy, ifUnanswered: 'next', providersPerRound: 2, hasNextProvider: true } as const;
    const first = snapshot('submitting');
    const unknown = { state: 'submitting', outcome: 'unknown', refund: false };
    expect(transition(first, events.unanswered, next)).toMatchObject({ ...unknown, delayMs: 0 });
    const alone = { ...next, hasNextProvider: false };
    expect(transition(first, events.unanswered, alone)).toMatchObject({ ...unknown, delayMs: 5_000 });
    const last = snapshot('submitting', { attempt: 6 });
    expect(transition(last, events.unanswered, next)).toMatchObject({ ...unknown, delayMs: 900_000 });
  });

  it('keeps the charge of a delivery that another provider may have, whatever the last one says', () => {
    const unsure = { outcomeUnknown: true, unansweredElsewhere: true };
    for (const event of [events.rejected, events.failed, events.onlyElsewhere])
      expect(transition(snapshot('submitting', unsure), event, policy)).toMatchObject({
        state: 'submitting',
        delayMs: 900_000,
        refund: false,
        neverSubmittedAgain: true,
      });
    expect(transition(snapshot('sent', unsure), events.undeliveredDnd, policy)).toMatchObject({
      state: 'undelivered',
      refund: false,
    });
  });

  it('lets a further provider have a delivery that only earlier ones may have, if the last one refuses it', () => {
    const unsure = { attempt: 2, outcomeUnknown: true, unansweredElsewhere: true, unansweredHere: false };
    const three = { ...policy, providersPerRound: 3, hasNextProvider: true, hasOtherProvider: true };
    const after = (
      event: DeliveryEvent,
      own: Partial<RetryPolicy> = {},
      changed: Partial<DeliverySnapshot> = {},
    ) => transition(snapshot('submitting', { ...unsure, ...changed }), event, { ...three, ...own });
    const waiting = { state: 'submitting', refund: false, outcome: 'transient' };
    expect(after(events.transient)).toMatchObject({ ...waiting, delayMs: 0, reason });
    expect(after(events.onlyElsewhere)).toMatchObject({ ...waiting, delayMs: 0, refusedForGood: true });
    expect(after(events.transient, { hasNextProvider: false })).toMatchObject({ ...waiting, delayMs: 5_000 });
    const last = { ...waiting, delayMs: 900_000, neverSubmittedAgain: true };
    const none = { hasNextProvider: false, hasOtherProvider: false };
    expect(after(events.onlyElsewhere, none)).toMatchObject({ ...last, refusedForGood: true });
    expect(after(events.transient, none, { attempt: 9 })).toMatchObject(last);
    expect(after(events.inQuietHours, none)).toMatchObject({ ...held, state: 'submitting' });
    for (const event of [events.transient, events.onlyElsewhere, events.inQuietHours])
      expect(after(event, none, { attempt: 9, ageMs: policy.validityMs })).toMatchObject({
        state: 'expired',
        reason: noAnswer,
        refund: false,
      });
    const here = { unansweredHere: true };
    expect(after(events.transient, {}, here)).toMatchObject({ ...waiting, delayMs: 5_000 });
    expect(after(events.onlyElsewhere, {}, here)).toMatchObject(last);
  });

  it('ends a delivery that another provider may have, whatever the last one says, as one without an answer', () => {
    const old = { ageMs: policy.validityMs, outcomeUnknown: true, unansweredElsewhere: true };
    for (const event of [events.rejected, events.failed, events.onlyElsewhere])
      expect(transition(snapshot('submitting', old), event, policy)).toMatchObject({
        state: 'expired',
        reason: noAnswer,
        refund: false,
      });
  });

  it('ends a delivery that every provider of its route has refused for good', () => {
    const two = { ...policy, providersPerRound: 2, hasNextProvider: true, hasOtherProvider: true };
    expect(transition(snapshot('submitting'), events.onlyElsewhere, two)).toMatchObject({
      state: 'queued',
      delayMs: 0,
      refusedForGood: true,
    });
    const none = { ...two, hasNextProvider: false, hasOtherProvider: false };
    expect(transition(snapshot('submitting', { attempt: 2 }), events.onlyElsewhere, none)).toMatchObject({
      state: 'failed',
      refund: true,
    });
  });

  it('ends an old delivery: as failed if no provider has it, as expired if one may have it', () => {
    const ageMs = policy.validityMs;
    expect(transition(snapshot('queued', { ageMs }), events.unroutable, policy)).toMatchObject({
      state: 'failed',
      refund: true,
      reason: noProvider,
    });
    for (const event of [events.unroutable, events.exhausted]) {
      expect(
        transition(snapshot('submitting', { ageMs, outcomeUnknown: true }), event, policy),
      ).toMatchObject({
        state: 'expired',
        refund: false,
        reason: noAnswer,
      });
    }
  });
});

/** A delivery as the worker and the providers see it, with all that can happen to it in any order. */
interface World {
  delivery: DeliverySnapshot;
  refunds: number;
  notifications: DeliveryState[];
  submissions: number;
}

type Step = { readonly claim: 'same' | 'other' } | { readonly event: DeliveryEvent };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('same', 'other').map((claim) => ({ claim }) as const) },
  {
    weight: 10,
    arbitrary: fc.constantFrom(...eventNames).map((name) => ({ event: events[name] })),
  },
);

const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  validityMs: fc.nat(100_000),
  delaysMs: fc.array(fc.nat(60_000), { maxLength: 4 }),
  askIntervalMs: fc.nat(60_000),
  maxUnroutableMs: fc.integer({ min: 30_000, max: 300_000 }),
  providersPerRound: fc.integer({ min: 1, max: 3 }),
  routeId: fc.constant(null),
  hasNextProvider: fc.boolean(),
  hasOtherProvider: fc.boolean(),
  ifUnanswered: fc.constantFrom('wait', 'resend', 'next'),
  canAsk: fc.boolean(),
});

describe('random sequences of events', () => {
  it('keep the invariants of a delivery', () => {
    fc.assert(
      fc.property(
        policies,
        fc.array(fc.record({ step, afterMs: fc.nat(20_000) }), { maxLength: 40 }),
        (given, steps) => {
          const world: World = {
            delivery: {
              state: 'queued',
              attempt: 0,
              ageMs: 0,
              outcomeUnknown: false,
              unansweredElsewhere: false,
              quietMs: null,
            },
            refunds: 0,
            notifications: [],
            submissions: 0,
          };
          for (const { step: next, afterMs } of steps) {
            world.delivery = { ...world.delivery, ageMs: world.delivery.ageMs + afterMs };
            if ('claim' in next) claim(world, next.claim);
            else happen(world, next.event, given);
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

/** As a claim does: an open delivery gets its next attempt, and one without an outcome is outcomeUnknown. */
function claim(world: World, provider: 'same' | 'other'): void {
  const { delivery } = world;
  if (rank[delivery.state] !== 0) return;
  world.delivery = {
    ...delivery,
    state: 'submitting',
    attempt: delivery.attempt + 1,
    outcomeUnknown: delivery.state === 'submitting',
    unansweredElsewhere:
      delivery.unansweredElsewhere || (delivery.state === 'submitting' && provider === 'other'),
    unansweredHere: delivery.state === 'submitting' && provider === 'same',
  };
  world.submissions += 1;
}

function happen(world: World, event: DeliveryEvent, given: RetryPolicy): void {
  const before = world.delivery;
  const change = transition(before, event, given);
  if (!change) return;
  expect(rank[change.state]).toBeGreaterThanOrEqual(rank[before.state]);
  expect(rank[before.state]).toBeLessThan(2);
  expect(change.delayMs === undefined).toBe(rank[change.state] === 2);
  expect(change.delayMs ?? 0).toBeGreaterThanOrEqual(0);
  expect(change.notify).toBe(rank[change.state] > 0 && change.state !== 'canceled');
  // What a provider may have is never canceled.
  const mayBeAccepted = before.unansweredElsewhere || (before.outcomeUnknown && !given.canAsk);
  if (change.state === 'canceled') expect(mayBeAccepted).toBe(false);
  if (change.refund) {
    world.refunds += 1;
    // What another provider may have is refunded only by an operator.
    if (event.type !== 'refunded') expect(before.unansweredElsewhere).toBe(false);
    const isRefundable =
      ['rejected', 'failed', 'canceled'].includes(change.state) ||
      (change.state === 'undelivered' && change.reason?.code === dnd.code);
    expect(isRefundable).toBe(true);
  } else expect(['rejected', 'failed', 'canceled']).not.toContain(change.state);
  expect(world.refunds).toBeLessThanOrEqual(1);
  if (change.notify) world.notifications.push(change.state);
  expect(world.notifications.length).toBeLessThanOrEqual(2);
  expect(new Set(world.notifications).size).toBe(world.notifications.length);
  // In `queued`, it could be canceled or rejected with a refund.
  if (mayBeAccepted) expect(change.state).not.toBe('queued');
  // What waits for its next submission with its text is looked at again soon.
  if (rank[change.state] === 0 && !change.neverSubmittedAgain) {
    const { askIntervalMs, maxUnroutableMs, delaysMs } = given;
    const longest = Math.max(askIntervalMs, maxUnroutableMs, 30_000, ...delaysMs);
    expect((change.delayMs ?? 0) - (change.heldMs ?? 0)).toBeLessThanOrEqual(longest);
  }
  if (change.heldMs !== undefined) expect(change.heldMs).toBe(change.delayMs);
  // A provider that is in its quiet hours gets it after them, unless another one ends it before.
  if (event === events.inQuietHours && before.state === 'submitting' && before.ageMs < given.validityMs)
    expect(change.state).not.toBe('failed');
  if (change.state === 'sent') expect(world.submissions).toBeGreaterThan(0);
  world.delivery = {
    ...before,
    state: change.state,
    outcomeUnknown: change.state === 'submitting' && before.outcomeUnknown,
    unansweredElsewhere: before.unansweredElsewhere,
    quietMs: change.quietMs ?? before.quietMs,
  };
}

const withoutAbsent = (change: Change | undefined): unknown =>
  change && Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
