import { describe, expect, it } from '@jest/globals';
import type { ReceivedCallback } from '../traffic/callback-receiver.js';
import type { Intent } from '../traffic/intents.js';
import type { ClientAnswer } from '../traffic/requests.js';
import type { Facts } from './facts.js';
import { reconcile } from './reconcile.js';

const common = { atMs: 0, organisation: 0, asksAgain: false };
const sms: Intent = { ...common, kind: 'sms', ref: 'sms', recipients: ['+1', '+2'], callback: true };
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
  ...{ webhookId, type, resourceId, deliveryId, validSignature: true, digest: webhookId },
});

const at = (seconds: number): Date => new Date(seconds * 1_000);
const delivery = { organisationId: 'o', otpId: null, errorCode: null, refunded: false, chargeKobo: 400n };

/**
 * A message to two recipients, one of them on DND and refunded; an OTP; a purchase; a contact. Everything is as
 * promised.
 */
const facts: Facts = {
  organisations: [
    { id: 'o', startKobo: 10_000n, availableKobo: 10_000n - 400n - 400n - 500n, reservedKobo: 0n },
  ],
  answers: [
    answer(sms, 'send', '/sms/send', {}, { id: 'm', meta: { estimate: { charge: 8 } } }),
    answer(otp, 'request', '/otp/request_token', {}, { id: 'p' }),
    answer(otp, 'right', '/otp/verify', { id: 'p' }, { id: 'p' }),
    answer(otp, 'right-too', '/otp/verify', { id: 'p' }, {}, 409),
    answer(airtime, 'buy', '/airtime/buy', {}, { id: 'a', meta: { charge: { amount: 5 } } }),
    answer(contact, 'create', '/lists/contact/rows', {}, { row: { id: 'c' } }),
    answer(contact, 'patch', '/lists/contact/rows/c', { columns: { email: 'x' } }, {}),
  ],
  messages: [{ id: 'm', organisationId: 'o', chargeKobo: 800n, hasCallback: true, returnedKobo: 0n }],
  deliveries: [
    { ...delivery, id: 'd1', messageId: 'm', recipient: '+1', state: 'delivered' },
    {
      ...delivery,
      id: 'd2',
      messageId: 'm',
      recipient: '+2',
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
  accepted: [{ deliveryId: 'd1' }, { deliveryId: 'd1' }, { deliveryId: 'd2' }, { deliveryId: 'p' }],
  otps: [{ id: 'p', organisationId: 'o', chargeKobo: 400n, verified: 1 }],
  purchases: [
    {
      id: 'a',
      organisationId: 'o',
      externalRef: 'air',
      state: 'success',
      refunded: false,
      kobo: 500n,
      hasCallback: true,
    },
  ],
  topUps: [{ purchaseId: 'a', outcome: 'success' }],
  contacts: [
    { id: 'c', organisationId: 'o', cells: { email: 'x' } },
    { id: 'prepared', organisationId: 'o', cells: { name: 'Listed 1' } },
  ],
  callbacks: [
    { id: 'w1', type: 'message.sent', resourceId: 'm', deliveryId: 'd1', state: 'delivered' },
    { id: 'w2', type: 'message.delivered', resourceId: 'm', deliveryId: 'd1', state: 'delivered' },
    { id: 'w3', type: 'message.sent', resourceId: 'm', deliveryId: 'd2', state: 'delivered' },
    { id: 'w4', type: 'message.undelivered', resourceId: 'm', deliveryId: 'd2', state: 'delivered' },
    { id: 'w5', type: 'airtime.success', resourceId: 'a', deliveryId: null, state: 'delivered' },
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
  deliveryLeaseMs: 16_000,
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

describe('the reconciliation', () => {
  it('finds nothing if everything is as promised', () => {
    expect(violationsOf({})).toEqual([]);
  });

  it.each<[string, Partial<Facts>, string]>([
    ['a message that is missing', { messages: [] }, 'acknowledged: sms-send: the message m is missing'],
    [
      'a delivery that is missing',
      { deliveries: without(facts.deliveries, ({ id }) => id === 'd1') },
      'acknowledged: sms-send: message m has the deliveries +2',
    ],
    ['an OTP that is missing', { otps: [] }, 'acknowledged: otp-request: the otp p is missing'],
    ['a purchase that is missing', { purchases: [] }, 'acknowledged: air-buy: the purchase a is missing'],
    [
      'a patch that is lost',
      { contacts: [{ id: 'c', organisationId: 'o', cells: { email: 'old' } }] },
      'acknowledged: /lists/contact/rows/c: x was acknowledged, old is stored',
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
      'an SMS twice although every outcome was known',
      {
        attempts: changed(facts.attempts, ({ deliveryId }) => deliveryId === 'd1', { outcome: 'transient' }),
      },
      'sms-once: d1: the carrier accepted it 2 times, and every outcome was known',
    ],
    [
      'a delivery that was claimed while its lease ran',
      {
        attempts: changed(facts.attempts, ({ outcome }) => outcome === 'unknown', {
          outcome: null,
          endedAt: null,
        }),
      },
      'sms-once: d1: attempt 2 began while the one before was in progress',
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
      'an OTP that is verified twice',
      { answers: changed(facts.answers, ({ key }) => key === 'otp-right-too', { status: 200 }) },
      'otp-once: p: otp-right,otp-right-too were all answered 200',
    ],
    [
      'two stored verifications',
      { otps: changed(facts.otps, () => true, { verified: 2 }) },
      'otp-once: p: 2 verifications are stored',
    ],
    [
      'a callback that is missing',
      { callbacks: without(facts.callbacks, ({ id }) => id === 'w5') },
      'callbacks: a: airtime.success was never stored',
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
    expect(violationsOf({ answers })).toEqual(['answered: sms-send: no final answer in 9 attempts']);
  });

  it.each<[string, Partial<Facts>]>([
    ['the lease has expired', { deliveryLeaseMs: 2_000 }],
    ['its worker may have died', { disturbances: [at(1)] }],
  ])('accepts another attempt if %s', (_, change) => {
    const attempts = changed(facts.attempts, ({ outcome }) => outcome === 'unknown', {
      outcome: null,
      endedAt: null,
    });
    expect(violationsOf({ attempts, ...change })).toEqual([]);
  });
});
