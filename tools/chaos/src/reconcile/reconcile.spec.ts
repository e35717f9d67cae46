import { describe, expect, it } from '@jest/globals';
import type { ReceivedCallback } from '../traffic/callback-receiver.js';
import type { Intent } from '../traffic/intents.js';
import type { ClientAnswer } from '../traffic/requests.js';
import type { CallbackFact, Facts } from './facts.js';
import { firstAttempt } from './checks/requests.js';
import { countWatchdogExits } from './checks/system.js';
import { reconcile } from './reconcile.js';

const dndNumber = '+2347000000004';
const common = { atMs: 0, organisation: 0, asksAgain: false };
const sms: Intent = { ...common, kind: 'sms', ref: 'sms', recipients: ['+1', dndNumber], callback: true };
const otp: Intent = { ...common, kind: 'otp', ref: 'otp', recipient: '+3', token: '1', verify: 'twice' };
const airtime: Intent = {
  ...common,
  kind: 'airtime',
  ref: 'air',
  recipient: '+4',
  naira: 5,
  copies: 1,
  callback: true,
};
const contact: Intent = { ...common, kind: 'contact', ref: 'contact' };

function answer(
  intent: Intent,
  step: string,
  path: string,
  sent: object,
  body: object,
  status = 200,
): ClientAnswer {
  const method = step === 'patch' ? 'PATCH' : 'POST';
  const request = { intent, step, method, path, body: sent } as const;
  return {
    request,
    retriedAfter: [],
    key: `${intent.ref}-${step}`,
    status,
    body,
    text: JSON.stringify(body),
    attempts: 1,
    again: false,
  };
}

const arrived = (
  webhookId: string,
  type: string,
  resourceId: string,
  deliveryId?: string,
): ReceivedCallback => ({
  webhookId,
  organisationId: 'o',
  type,
  resourceId,
  deliveryId,
  validSignature: true,
  digest: webhookId,
});

const stored = (id: string, type: string, resourceId: string, deliveryId: string | null): CallbackFact => ({
  id,
  organisationId: 'o',
  type,
  resourceId,
  deliveryId,
  state: 'delivered',
});

const at = (seconds: number): Date => new Date(seconds * 1_000);
const alreadyVerified = { errors: [{ type: 'already_verified' }] };
const delivery = {
  organisationId: 'o',
  otpId: null,
  errorCode: null,
  refunded: false,
  chargeKobo: 400n,
  workerDeaths: 0,
};

/**
 * A message to two recipients, one of them on DND and refunded; an OTP; a purchase; a contact. Everything is as
 * promised.
 */
const facts: Facts = {
  organisations: [
    {
      id: 'o',
      startKobo: 10_000n,
      runsOut: false,
      availableKobo: 10_000n - 400n - 400n - 500n,
      reservedKobo: 0n,
    },
  ],
  answers: [
    answer(sms, 'send', '/sms/send', {}, { id: 'm', meta: { estimate: { charge: 8 } } }),
    answer(otp, 'request', '/otp/request_token', {}, { id: 'p' }),
    answer(otp, 'right', '/otp/verify', { id: 'p' }, { id: 'p' }),
    answer(otp, 'right-too', '/otp/verify', { id: 'p' }, alreadyVerified, 409),
    answer(airtime, 'buy', '/airtime/buy', {}, { id: 'a', meta: { charge: { amount: 5 } } }),
    answer(contact, 'create', '/lists/contact/rows', { columns: { name: 'n' } }, { row: { id: 'c' } }),
    answer(contact, 'patch', '/lists/contact/rows/c', { columns: { email: 'x' } }, {}),
  ],
  messages: [{ id: 'm', organisationId: 'o', externalRef: 'sms', chargeKobo: 800n, isSmartlist: false }],
  deliveries: [
    { ...delivery, id: 'd1', messageId: 'm', recipient: '+1', state: 'delivered' },
    {
      ...delivery,
      id: 'd2',
      messageId: 'm',
      recipient: dndNumber,
      state: 'undelivered',
      errorCode: 'dnd',
      refunded: true,
    },
    { ...delivery, id: 'p', messageId: null, otpId: 'p', recipient: '+3', state: 'delivered' },
  ],
  attempts: [
    { deliveryId: 'd1', attempt: 1, outcome: 'unknown', startedAt: at(0), endedAt: at(1) },
    { deliveryId: 'd1', attempt: 2, outcome: 'accepted', startedAt: at(2), endedAt: at(3) },
    { deliveryId: 'd2', attempt: 1, outcome: 'accepted', startedAt: at(0), endedAt: at(1) },
    { deliveryId: 'p', attempt: 1, outcome: 'accepted', startedAt: at(0), endedAt: at(1) },
  ],
  accepted: [
    { deliveryId: 'd1', recipient: '+1' },
    { deliveryId: 'd2', recipient: dndNumber },
    { deliveryId: 'p', recipient: '+3' },
  ],
  otps: [{ id: 'p', organisationId: 'o', chargeKobo: 400n, verified: 1 }],
  purchases: [
    {
      id: 'a',
      organisationId: 'o',
      externalRef: 'air',
      recipient: '+4',
      state: 'success',
      errorCode: null,
      refunded: false,
      kobo: 500n,
      createdAt: at(0),
      endedAt: at(1),
    },
  ],
  topUps: [{ purchaseId: 'a', recipient: '+4', kobo: 500n, outcome: 'success' }],
  contacts: [
    { id: 'c', organisationId: 'o', cells: { name: 'n', email: 'x' } },
    { id: 'prepared', organisationId: 'o', cells: { name: 'Listed 1' } },
  ],
  callbacks: [
    stored('w1', 'message.sent', 'm', 'd1'),
    stored('w2', 'message.delivered', 'm', 'd1'),
    stored('w3', 'message.sent', 'm', 'd2'),
    stored('w4', 'message.undelivered', 'm', 'd2'),
    stored('w5', 'airtime.success', 'a', null),
  ],
  received: [
    arrived('w1', 'message.sent', 'm', 'd1'),
    arrived('w2', 'message.delivered', 'm', 'd1'),
    arrived('w2', 'message.delivered', 'm', 'd1'),
    arrived('w3', 'message.sent', 'm', 'd2'),
    arrived('w4', 'message.undelivered', 'm', 'd2'),
    arrived('w5', 'airtime.success', 'a'),
  ],
  ledger: [
    { kind: 'charge', subjectId: 'm', kobo: 800n },
    { kind: 'refund', subjectId: 'd2', kobo: 400n },
    { kind: 'charge', subjectId: 'p', kobo: 400n },
    { kind: 'reserve', subjectId: 'a', kobo: 500n },
    { kind: 'post', subjectId: 'a', kobo: 500n },
  ],
  ledgerFindings: [],
  disturbances: [],
  lostAnswers: [{ key: 'sms-send', status: 200, text: '{"id":"m","meta":{"estimate":{"charge":8}}}' }],
  faults: [{ fault: 'kill-process', effect: 'killed' }],
  exits: [],
  deliveryLeaseMs: 16_000,
  deliveryInFlightMs: 7_000,
};

const violationsOf = (changed: Partial<Facts>): string[] =>
  reconcile({ ...facts, ...changed }).flatMap(({ violations }) =>
    violations.map(({ check, subject, message }) => `${check}: ${subject}: ${message}`),
  );

function itemOf<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`There is no item ${index}`);
  return item;
}

/** The list with some of its items changed. */
const changed = <T>(list: readonly T[], isMeant: (item: T) => boolean, change: Partial<T>): T[] =>
  list.map((item) => (isMeant(item) ? { ...item, ...change } : item));
const without = <T>(list: readonly T[], isMeant: (item: T) => boolean): T[] =>
  list.filter((item) => !isMeant(item));

/** The answers with one to a wrong token. */
const wrongFirst = (status: number, type = 'token_mismatch'): ClientAnswer[] => [
  ...facts.answers,
  answer(otp, 'wrong', '/otp/verify', { id: 'p' }, { errors: [{ type }] }, status),
];

const withoutEffect = { fault: 'cut-postgres', effect: undefined };

const silentAirtime: Intent = { ...airtime, callback: false };

/** The purchase is for a number whose submission gets no answer. */
const queriedPurchase: Partial<Facts> = {
  purchases: changed(facts.purchases, () => true, { recipient: '+2347000000005' }),
  topUps: changed(facts.topUps, () => true, { recipient: '+2347000000005' }),
};
const disturbance = { target: 'messaging-1', began: at(1), ended: at(1) };
const claimedTwice =
  'sms-once: d1: attempt 2 (accepted) began at 1970-01-01T00:00:02.000Z, while attempt 1 (no outcome) was in progress, which began at 1970-01-01T00:00:00.000Z and has no end';

describe('the reconciliation', () => {
  it('allows that one of four purchases that are queried is never reported as sent', () => {
    const purchase = itemOf(queriedPurchase.purchases ?? [], 0);
    const topUp = itemOf(queriedPurchase.topUps ?? [], 0);
    const ids = ['a', 'a2', 'a3', 'a4'];
    const callbacks = ids.slice(1).map((id) => stored(`sent-${id}`, 'airtime.sent', id, null));
    const found = violationsOf({
      purchases: ids.map((id) => ({ ...purchase, id })),
      topUps: ids.map((purchaseId) => ({ ...topUp, purchaseId })),
      callbacks: [...facts.callbacks, ...callbacks],
    });
    expect(found).not.toContain('callbacks: a: airtime.sent was never stored');
    expect(found).toContain('callbacks: a2: airtime.success was never stored');
  });

  it('finds nothing if everything is as promised', () => {
    expect(violationsOf({})).toEqual([]);
  });

  it.each<[string, Partial<Facts>, string]>([
    ['a message that is missing', { messages: [] }, 'acknowledged: sms-send: the message m is missing'],
    [
      'a delivery that is missing',
      { deliveries: without(facts.deliveries, ({ id }) => id === 'd1') },
      `acknowledged: sms-send: message m has the deliveries ${dndNumber}`,
    ],
    ['an OTP that is missing', { otps: [] }, 'acknowledged: otp-request: the otp p is missing'],
    ['a purchase that is missing', { purchases: [] }, 'acknowledged: air-buy: the purchase a is missing'],
    [
      'a patch that is lost',
      { contacts: [{ id: 'c', organisationId: 'o', cells: { name: 'n', email: 'old' } }] },
      'acknowledged: c: x was acknowledged, old is stored',
    ],
    [
      'a contact whose name is lost',
      { contacts: [{ id: 'c', organisationId: 'o', cells: { email: 'x' } }] },
      'acknowledged: c: n was acknowledged, nothing is stored',
    ],
    [
      'a contact with another name',
      { contacts: [{ id: 'c', organisationId: 'o', cells: { name: 'other', email: 'x' } }] },
      'acknowledged: c: n was acknowledged, other is stored',
    ],
    [
      'a message that no client was answered with',
      { messages: [...facts.messages, { ...itemOf(facts.messages, 0), id: 'm2' }] },
      'executed-once: m2: this message is stored, and no client was answered with it',
    ],
    [
      'two requests with one result',
      { answers: [...facts.answers, { ...itemOf(facts.answers, 0), key: 'other' }] },
      'executed-once: sms-send,other: both were answered with the message m',
    ],
    [
      'a request without an answer',
      { answers: changed(facts.answers, ({ key }) => key === 'otp-right-too', { status: 0, attempts: 9 }) },
      'answered: otp-right-too: no final answer in 9 attempts',
    ],
    [
      'an answer that no valid request gets',
      { answers: changed(facts.answers, ({ key }) => key === 'contact-patch', { status: 404 }) },
      'answered: contact-patch: unexpected answer 404 {}',
    ],
    [
      'a repeated request with another answer',
      { answers: [...facts.answers, { ...itemOf(facts.answers, 0), again: true, text: '{"id":"m2"}' }] },
      'answered: sms-send: 200 at first, then 200 {"id":"m2"}',
    ],
    [
      'a lost answer that differs from the one to the repeated request',
      { lostAnswers: [{ key: 'sms-send', status: 200, text: '{"id":"m3"}' }] },
      'answered: sms-send: 200 {"id":"m3"} was lost, then 200 {"id":"m","meta":{"estimate":{"charge":8}}}',
    ],
    [
      'a process that crashed',
      { exits: [{ process: 'otp-1', reason: 'exit code 1', lastLogLine: 'out of memory', at: at(9) }] },
      'processes: otp-1: ended with exit code 1: out of memory',
    ],
    ['a run without faults', { faults: [] }, 'coverage: faults: no fault took effect'],
    [
      'a run whose faults had no effect',
      { faults: [{ fault: 'kill-process', effect: undefined }] },
      'coverage: faults: no fault took effect',
    ],
    [
      'a kind of fault that never took effect',
      { faults: [...facts.faults, ...Array.from({ length: 3 }, () => withoutEffect)] },
      'coverage: cut-postgres: none of 3 faults took effect',
    ],
    [
      'a run that accepted no purchase',
      { answers: changed(facts.answers, ({ key }) => key === 'air-buy', { status: 402 }) },
      'coverage: airtime: none of 1 requests was accepted',
    ],
    ['what the check of the ledger finds', { ledgerFindings: ['balance'] }, 'ledger: ledger check: balance'],
    [
      'a charge that is booked twice',
      { ledger: [...facts.ledger, { kind: 'charge', subjectId: 'm', kobo: 800n }] },
      'ledger: m: the message should have charge 800, and has charge 800, charge 800',
    ],
    [
      'a refund that is missing',
      { ledger: without(facts.ledger, ({ kind }) => kind === 'refund') },
      'ledger: d2: the delivery (undelivered) should have refund 400, and has none',
    ],
    [
      'a delivery that should be refunded',
      { deliveries: changed(facts.deliveries, ({ id }) => id === 'd2', { refunded: false }) },
      'ledger: d2: a delivery that is undelivered is not refunded',
    ],
    [
      'a purchase that is both posted and voided',
      { ledger: [...facts.ledger, { kind: 'void', subjectId: 'a', kobo: 500n }] },
      'ledger: a: the purchase (success) should have post 500, reserve 500, and has post 500, reserve 500, void 500',
    ],
    [
      'a charge for nothing',
      { ledger: [...facts.ledger, { kind: 'charge', subjectId: 'x', kobo: 4n }] },
      'ledger: x: charge of 4 kobo for something that does not exist',
    ],
    [
      'a smartlist message whose unused charge is not refunded',
      {
        messages: changed(facts.messages, () => true, { isSmartlist: true, chargeKobo: 1_000n }),
        ledger: changed(facts.ledger, ({ subjectId }) => subjectId === 'm', { kobo: 1_000n }),
      },
      'ledger: m: the message should have charge 1000, refund 200, and has charge 1000',
    ],
    [
      'a smartlist message that is refunded too much',
      {
        messages: changed(facts.messages, () => true, { isSmartlist: true }),
        ledger: [...facts.ledger, { kind: 'refund', subjectId: 'm', kobo: 1n }],
      },
      'ledger: m: the message should have charge 800, and has charge 800, refund 1',
    ],
    [
      'a message that costs more than its deliveries',
      { deliveries: changed(facts.deliveries, ({ id }) => id === 'd1', { chargeKobo: 300n }) },
      'ledger: m: the message costs 800 kobo, and its deliveries 700',
    ],
    [
      'a message that is not delivered',
      {
        deliveries: changed(facts.deliveries, ({ id }) => id === 'd1', {
          state: 'expired',
          errorCode: 'no_report',
        }),
      },
      'final-states: d1: +1 is expired (no_report), not delivered',
    ],
    [
      'an abandoned delivery',
      { deliveries: changed(facts.deliveries, ({ id }) => id === 'd1', { workerDeaths: 3 }) },
      'final-states: d1: +1 is abandoned: 3 workers died',
    ],
    [
      'a purchase that fails without a reason to',
      { purchases: changed(facts.purchases, () => true, { state: 'failed', errorCode: 'invalid_number' }) },
      'final-states: a: +4 is failed (invalid_number), not success',
    ],
    [
      'a purchase of another amount',
      { purchases: changed(facts.purchases, () => true, { kobo: 600n }) },
      'final-states: a: 600 kobo for +4 are stored, not 5 naira for +4',
    ],
    [
      'two purchases of which both are duplicates',
      {
        purchases: ['a', 'a2'].map((id) => ({ ...itemOf(facts.purchases, 0), id, state: 'duplicate' })),
      },
      'final-states: air: 2 of 2 purchases are duplicates',
    ],
    [
      'a message that is sent to another number',
      { accepted: changed(facts.accepted, ({ deliveryId }) => deliveryId === 'd1', { recipient: '+9' }) },
      'final-states: d1: it was sent to +9, not to +1',
    ],
    [
      'a top-up of another amount',
      { topUps: changed(facts.topUps, () => true, { kobo: 501n }) },
      'final-states: a: +4 was topped up with 501 kobo, not +4 with 500',
    ],
    [
      'a request that is rejected for lack of money although there is enough',
      { answers: changed(facts.answers, ({ key }) => key === 'air-buy', { status: 402 }) },
      'answered: air-buy: unexpected answer 402 {"id":"a","meta":{"charge":{"amount":5}}}',
    ],
    [
      'a balance that differs',
      { organisations: changed(facts.organisations, () => true, { availableKobo: 1n }) },
      'balances: o: 1 kobo are available, not 8700',
    ],
    [
      'money that stays reserved',
      { organisations: changed(facts.organisations, () => true, { reservedKobo: 5n }) },
      'balances: o: 5 kobo are still reserved',
    ],
    [
      'airtime twice',
      { topUps: [...facts.topUps, ...facts.topUps] },
      'airtime-once: a: it was submitted 2 times',
    ],
    [
      'airtime that was never submitted',
      { topUps: [] },
      'airtime-once: a: it is paid for, and the provider never received it',
    ],
    [
      'airtime that is refunded and topped up',
      { purchases: changed(facts.purchases, () => true, { state: 'failed', refunded: true }) },
      'airtime-once: a: it is failed and refunded, and the number was topped up',
    ],
    [
      'two purchases where one is a duplicate',
      { purchases: [...facts.purchases, { ...itemOf(facts.purchases, 0), id: 'a2' }] },
      'airtime-once: air: two purchases with the same external_ref succeeded',
    ],
    [
      'an SMS twice, although the outcome of an attempt was unknown',
      { accepted: [...facts.accepted, itemOf(facts.accepted, 0)] },
      'sms-once: d1: the carrier accepted it 2 times',
    ],
    [
      'a delivery that was claimed while its lease ran',
      {
        attempts: changed(facts.attempts, ({ outcome }) => outcome === 'unknown', {
          outcome: null,
          endedAt: null,
        }),
      },
      claimedTwice,
    ],
    [
      'an SMS that is delivered and was never sent',
      { accepted: without(facts.accepted, ({ deliveryId }) => deliveryId === 'd2') },
      'sms-once: d2: it is undelivered, and no carrier has accepted it',
    ],
    [
      'an SMS that is sent and refunded as failed',
      { deliveries: changed(facts.deliveries, ({ id }) => id === 'd2', { state: 'failed' }) },
      'sms-once: d2: it is failed and refunded, and a carrier has accepted it',
    ],
    [
      'a wrong token that is accepted',
      { answers: wrongFirst(200) },
      'otp-once: p: otp-wrong has a wrong token and was answered 200',
    ],
    [
      'a wrong token that is rejected as one too many at the first attempt',
      { answers: wrongFirst(429, 'too_many_attempts') },
      'otp-once: p: otp-wrong has a wrong token and was answered 429',
    ],
    [
      'a right token that is rejected',
      { answers: changed(facts.answers, ({ key }) => key === 'otp-right-too', { status: 400 }) },
      'otp-once: p: otp-right-too has the right token and was answered 400',
    ],
    [
      'an OTP that no request has verified',
      {
        answers: changed(facts.answers, ({ key }) => key === 'otp-right', {
          status: 409,
          body: alreadyVerified,
        }),
      },
      'otp-once: p: no right token was answered 200',
    ],
    [
      'a verification that is not stored',
      { otps: changed(facts.otps, () => true, { verified: 0 }) },
      'otp-once: p: 0 verifications are stored, and 1 were answered 200',
    ],
    [
      'a verification that no client has asked for',
      { answers: without(facts.answers, ({ request }) => request.path === '/otp/verify') },
      'otp-once: p: it is verified, and no client has sent its token',
    ],
    [
      'an OTP that is verified twice',
      { answers: changed(facts.answers, ({ key }) => key === 'otp-right-too', { status: 200 }) },
      'otp-once: p: otp-right,otp-right-too were all answered 200',
    ],
    [
      'two stored verifications',
      { otps: changed(facts.otps, () => true, { verified: 2 }) },
      'otp-once: p: 2 verifications are stored, and 1 were answered 200',
    ],
    [
      'a callback that is missing',
      { callbacks: without(facts.callbacks, ({ id }) => id === 'w5') },
      'callbacks: a: airtime.success was never stored',
    ],
    [
      'a callback that was asked for, of a message that is stored without',
      { callbacks: [], received: [] },
      'callbacks: d1: message.delivered was never stored',
    ],
    [
      'a callback that was not requested',
      {
        answers: facts.answers.map((one) =>
          one.key === 'air-buy' ? { ...one, request: { ...one.request, intent: silentAirtime } } : one,
        ),
      },
      'callbacks: w5: a airtime.success reports a change that did not happen',
    ],
    [
      'a purchase that is queried and never reported as sent',
      { ...queriedPurchase },
      'callbacks: a: airtime.sent was never stored',
    ],
    [
      'a callback of another organisation',
      { callbacks: changed(facts.callbacks, ({ id }) => id === 'w1', { organisationId: 'o2' }) },
      'callbacks: d1: message.sent (w1) belongs to another resource or organisation',
    ],
    [
      'a callback that arrives with another content',
      { received: changed(facts.received, ({ webhookId }) => webhookId === 'w1', { resourceId: 'm2' }) },
      'callbacks: w1: message.sent of m2 arrived, not d1 message.sent',
    ],
    [
      'a callback that never arrived',
      { received: without(facts.received, ({ webhookId }) => webhookId === 'w4') },
      'callbacks: d2: message.undelivered (w4, delivered) never arrived',
    ],
    [
      'a callback with two ids',
      { callbacks: [...facts.callbacks, { ...itemOf(facts.callbacks, 1), id: 'w6' }] },
      'callbacks: d1: message.delivered has 2 ids',
    ],
    [
      'a callback of a change that did not happen',
      {
        callbacks: [...facts.callbacks, { ...itemOf(facts.callbacks, 0), id: 'w6', type: 'message.failed' }],
      },
      'callbacks: w6: d1 message.failed reports a change that did not happen',
    ],
    [
      'a callback without a row',
      { received: [...facts.received, arrived('w9', 'message.sent', 'm', 'd1')] },
      'callbacks: w9: it arrived, and its row does not exist',
    ],
    [
      'a callback with two bodies',
      { received: [...facts.received, { ...itemOf(facts.received, 0), digest: 'other' }] },
      'callbacks: w1: it arrived with different bodies',
    ],
    [
      'a callback with a wrong signature',
      { received: changed(facts.received, ({ webhookId }) => webhookId === 'w1', { validSignature: false }) },
      'callbacks: w1: it arrived without a valid signature',
    ],
  ])('finds %s', (_, change, violation) => {
    expect(violationsOf(change)).toContain(violation);
  });

  it('does not blame a request without an answer for what it may have stored', () => {
    const answers = changed(facts.answers, ({ key }) => key === 'sms-send', { status: 0, attempts: 9 });
    expect(violationsOf({ answers })).toEqual([
      'answered: sms-send: no final answer in 9 attempts',
      'coverage: sms: none of 1 requests was accepted',
    ]);
  });

  it('finds a lookup of another number, and a balance that is more than the organisation ever had', () => {
    const read = (intent: Intent, body: object, status = 200): ClientAnswer => {
      const { kind } = intent;
      return {
        ...answer(intent, kind, `/${kind}`, {}, body, status),
        request: { intent, step: kind, method: 'GET', path: `/${kind}` },
      };
    };
    const lookup: Intent = { ...common, kind: 'lookup', ref: 'lookup', phone: '+2348030000001' };
    const balance: Intent = { ...common, kind: 'balance', ref: 'balance' };
    const withReads = (...reads: ClientAnswer[]) => violationsOf({ answers: [...facts.answers, ...reads] });
    const start = Number(facts.organisations[0]?.startKobo) / 100;
    expect(
      withReads(read(lookup, { msisdn: '+2348030000001' }), read(balance, { available_balance: start })),
    ).toEqual([]);
    expect(withReads(read(lookup, { msisdn: '+2348030000002' }))).toEqual([
      'reads: lookup-lookup: +2348030000001 was looked up, and the answer is {"msisdn":"+2348030000002"}',
    ]);
    expect(withReads(read(balance, { available_balance: start + 0.01 }))).toEqual([
      expect.stringContaining('reads: balance-balance: the balance is {"available_balance":'),
    ]);
    expect(withReads(read(lookup, { msisdn: '+2348030000001' }), read(balance, {}, 402))).toEqual(
      expect.arrayContaining([expect.stringContaining('answered: balance-balance: unexpected answer 402')]),
    );
  });

  it('finds every attempt that had to be repeated, if none may be', () => {
    const retriedAfter = ['503 outcome_unknown', 'no response'];
    const answers = changed(facts.answers, ({ key }) => key === 'sms-send', { attempts: 3, retriedAfter });
    const found = (changes: Partial<Facts>): string[] =>
      reconcile({ ...facts, ...changes }, firstAttempt)
        .flatMap(({ violations }) => violations)
        .map(({ check, subject, message }) => `${check}: ${subject}: ${message}`);
    expect(found({})).toEqual([]);
    expect(found({ answers })).toEqual([
      'first-attempt: sms-send: the client got 503 outcome_unknown',
      'first-attempt: sms-send: the client got no response',
    ]);
  });

  it('accepts a kind of fault that may find nothing to disturb, in a few tries, or in some of many', () => {
    const cut = { ...withoutEffect, effect: '3 connections reset' };
    expect(violationsOf({ faults: [...facts.faults, withoutEffect, withoutEffect] })).toEqual([]);
    const some = [withoutEffect, withoutEffect, cut, withoutEffect];
    expect(violationsOf({ faults: [...facts.faults, ...some] })).toEqual([]);
  });

  describe('with a process that ended itself because it hung', () => {
    const lastLogLine = '{"level":"fatal","msg":"the event loop is blocked: ending the process"}';
    const hung = { process: 'otp-1', reason: 'exit code 70', lastLogLine, at: at(100) };
    const violationsWith = (target: string, ended: number): string[] =>
      violationsOf({
        exits: [hung],
        disturbances: [{ target, began: at(0), ended: at(ended) }],
      });

    it('accepts it after a disturbance of the process', () => {
      expect(violationsWith('otp-1', 50)).toEqual([]);
    });

    it.each([
      ['otp-2', 50],
      ['messaging-1', 50],
      ['clients', 50],
      // All processes: a server.
      ['', 50],
      ['otp-1', 30],
    ])('finds it if %s was disturbed until second %d', (target, ended) => {
      expect(violationsWith(target, ended)).toEqual([
        `processes: otp-1: ended with exit code 70: ${lastLogLine}`,
      ]);
    });

    it('counts it', () => {
      expect(countWatchdogExits([hung, { ...hung, lastLogLine: 'out of memory' }])).toBe(1);
    });
  });

  it('does not compare lost answers that are not stored', () => {
    const rejected = { key: 'sms-send', status: 503, text: '{}' };
    const inProgress = { key: 'sms-send', status: 409, text: '{"errors":[{"type":"in_progress"}]}' };
    expect(violationsOf({ lostAnswers: [rejected, inProgress] })).toEqual([]);
  });

  it('accepts a wrong token that is rejected, and a purchase that is queried while a worker dies', () => {
    expect(violationsOf({ answers: wrongFirst(400) })).toEqual([]);
    const disturbances = [{ ...disturbance, target: 'airtime-2' }];
    const found = violationsOf({ ...queriedPurchase, disturbances });
    expect(found.filter((violation) => violation.startsWith('callbacks'))).toEqual([]);
  });

  it.each<[string, Partial<Facts>, string[]]>([
    ['accepts another attempt after the lease', { deliveryLeaseMs: 2_000 }, []],
    [
      'accepts another attempt if the worker may have died and its call has ended',
      { deliveryInFlightMs: 2_000, disturbances: [disturbance] },
      [],
    ],
    [
      'accepts another attempt if the claim of a killed worker was executed after the kill',
      {
        deliveryInFlightMs: 2_000,
        disturbances: [{ ...disturbance, began: at(-2), ended: at(-2) }],
      },
      [],
    ],
    [
      'finds another attempt if the worker died long before the attempt',
      {
        deliveryInFlightMs: 2_000,
        disturbances: [{ ...disturbance, began: at(-4), ended: at(-4) }],
      },
      [claimedTwice],
    ],
    [
      'finds another attempt before the call of a dead worker has ended',
      { deliveryInFlightMs: 2_500, disturbances: [disturbance] },
      [claimedTwice],
    ],
    [
      'finds another attempt if a process of another app has died',
      { deliveryInFlightMs: 2_000, disturbances: [{ ...disturbance, target: 'airtime-2' }] },
      [claimedTwice],
    ],
  ])('%s', (_, change, found) => {
    const attempts = changed(facts.attempts, ({ outcome }) => outcome === 'unknown', {
      outcome: null,
      endedAt: null,
    });
    expect(violationsOf({ attempts, ...change })).toEqual(found);
  });
});
