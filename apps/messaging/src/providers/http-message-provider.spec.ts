import { systemClock } from '@gangan/contracts';
import type { HttpCall } from '@gangan/providers';
import { describe, expect, it, jest } from '@jest/globals';
import { HttpMessageProvider } from './http-message-provider.js';
import type { Submission } from './message-provider.js';

const row = { name: 'own', channels: ['sms'] as const, rate: null, window: null };
const submission: Submission = {
  reference: 'r1',
  channel: 'sms',
  sender: 'Acme',
  recipient: '+2348031234567',
  pages: 2,
  text: 'Your code is 123456',
};
const signal = new AbortController().signal;
const settings = { request: { url: 'https://sms.example/' } };
const never = () => Promise.reject(new Error());
const unused = { callAll: never, ask: never, credit: never, poll: never };

/** The result of a call with this outcome. */
async function resultOf(call: Partial<HttpCall>) {
  const detail = '400 account 77: cannot send "Your code is 123456"';
  const caller = {
    ...unused,
    callAll: () => Promise.resolve([{ outcome: 'failed', detail, ...call } as HttpCall]),
  };
  const provider = new HttpMessageProvider(row, settings, caller);
  const [result] = await provider.submit([submission], signal);
  return result;
}

describe('an HTTP provider', () => {
  it.each(['failed', 'refused', 'quiet', 'transient', 'unknown', 'throttled', 'account'] as const)(
    'shows customers none of its own words: %s',
    async (outcome) => {
      const shown = JSON.stringify(await resultOf({ outcome, reason: 'of_a_rule' }));
      expect([shown.includes('account 77'), shown.includes('123456')]).toEqual([false, false]);
    },
  );

  it('has a reference for each part of a long message', async () => {
    const call = { outcome: 'accepted', reference: 'a', furtherReferences: ['b'] } as const;
    expect(await resultOf(call)).toEqual({
      kind: 'accepted',
      providerReference: 'a',
      furtherReferences: ['b'],
    });
  });

  it('takes a message that it refused in its quiet hours when they have ended', async () => {
    jest.spyOn(systemClock, 'now').mockReturnValueOnce(new Date('2026-11-18T06:00:00Z'));
    const end = new Date('2026-11-18T07:00:00Z');
    expect(await resultOf({ outcome: 'quiet', reason: 'of_a_rule', quietUntil: end })).toMatchObject({
      ...{ kind: 'transient', cause: 'quiet', retryInMs: 3_600_000, reason: { code: 'quiet_hours' } },
    });
  });

  it('hides a fault of our account from customers', async () => {
    expect(await resultOf({ outcome: 'account', reason: 'provider_account' })).toMatchObject({
      kind: 'transient',
      cause: 'account',
      reason: { code: 'provider_unavailable' },
    });
  });

  it.each([1, 2, 5, 9, 11, 19, 49, 50, 120])('has at most %i requests in flight', (window) => {
    const provider = new HttpMessageProvider({ ...row, window }, settings, unused);
    const requests = provider.window * provider.batchSize;
    expect(requests).toBeLessThanOrEqual(window);
    expect(requests).toBeGreaterThan(window * 0.8);
  });

  it('sends any number of messages of a batch in the same number of requests', () => {
    const request = { ...settings.request, batch: { size: 100, separator: ',' } };
    const plain = new HttpMessageProvider(row, settings, unused);
    const batches = new HttpMessageProvider(row, { request }, unused);
    expect([plain.batchSize, batches.batchSize, batches.window]).toEqual([10, 100, plain.window]);
  });

  it('reports which messages were in one request', async () => {
    const [one, other] = [{} as HttpCall['shown'], {} as HttpCall['shown']];
    const calls = [one, other, one].map((shown): HttpCall => ({ outcome: 'unknown', shown }));
    const caller = { ...unused, callAll: () => Promise.resolve(calls) };
    const request = { ...settings.request, batch: { size: 100, separator: ',' } };
    const submissions = [submission, submission, submission];
    const batches = await new HttpMessageProvider(row, { request }, caller).submit(submissions, signal);
    expect(batches.map((result) => result.request)).toEqual([0, 1, 0]);
    const single = await new HttpMessageProvider(row, settings, caller).submit(submissions, signal);
    expect(single.map((result) => result.request)).toEqual([undefined, undefined, undefined]);
  });

  it('can be asked for our credit only if its settings say how', async () => {
    expect(new HttpMessageProvider(row, settings, unused).credit).toBeUndefined();
    const found = { micros: 5n, currency: 'NGN' };
    const credit = { request: { url: '/balance' }, amount: '/balance', warnBelow: 12.5 };
    const caller = { ...unused, credit: () => Promise.resolve(found) };
    const source = new HttpMessageProvider(row, { ...settings, credit }, caller).credit;
    expect([source?.warnBelow, await source?.ask()]).toEqual([12_500_000n, found]);
  });

  it('can be asked only if its settings say how', async () => {
    expect(new HttpMessageProvider(row, settings, unused).ask).toBeUndefined();
    const outcomes = ['accepted', 'failed', 'transient', 'unknown', 'not_found'] as const;
    const caller = { ...unused, ask: () => Promise.resolve(outcomes.map((outcome) => ({ outcome }))) };
    const ask = { request: { url: 'https://sms.example/{reference}' }, answer: {} };
    const provider = new HttpMessageProvider(row, { ...settings, ask }, caller);
    const results = await provider.ask?.(outcomes, signal);
    expect(results?.map(({ kind }) => kind)).toEqual(outcomes);
  });
});
