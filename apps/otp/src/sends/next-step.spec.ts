import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextStep, type OtpProgress } from './next-step.js';

const start = Date.UTC(2026, 10, 17);
const at = (seconds: number): Date => new Date(start + seconds * 1_000);

type Send = OtpProgress['sends'][number];
const send = (state: Send['state'], placed = 0, updated: number | null = null): Send => ({
  state,
  placedAt: at(placed),
  updatedAt: updated === null ? null : at(updated),
  isOverdue: false,
});

/** A WhatsApp OTP of 10 minutes with a fallback to SMS after 30 seconds. */
const otp = (change: Partial<OtpProgress> = {}): OtpProgress => ({
  status: 1,
  now: at(10),
  placedAt: at(0),
  expiresAt: at(600),
  fallbackChannels: ['sms'],
  fallbackAfter: 30,
  isSuspended: false,
  sends: [send('sent', 0, 1)],
  ...change,
});

describe('the next step of an OTP', () => {
  it.each<[string, Partial<OtpProgress>, object]>([
    ['waits for the delivery at first', {}, { type: 'wait', until: at(30), fallbackChannels: ['sms'] }],
    [
      'waits if messaging has not tried the last send yet',
      { now: at(40), sends: [{ ...send('queued'), isOverdue: true }] },
      { type: 'wait', until: at(70), fallbackChannels: ['sms'] },
    ],
    ['is a fallback if the delivery is late', { now: at(30) }, { type: 'send', channel: 'sms' }],
    [
      'is a fallback if the delivery failed',
      { sends: [send('failed', 0, 5)] },
      { type: 'send', channel: 'sms' },
    ],
    [
      'waits while a later send may arrive',
      { now: at(30), sends: [send('failed', 0, 5), send('queued', 20)] },
      { type: 'wait', until: at(50) },
    ],
    [
      'drops the fallback after a delivery',
      { now: at(30), sends: [send('delivered', 0, 5)] },
      { type: 'wait', until: at(600), fallbackChannels: [] },
    ],
    [
      'drops the fallback if too little time is left',
      { now: at(540) },
      { type: 'wait', until: at(600), fallbackChannels: [] },
    ],
    [
      'fails the OTP if too little time is left for the fallback',
      { now: at(540), sends: [send('undelivered', 0, 530)] },
      { type: 'fail', at: at(530) },
    ],
    [
      'fails the OTP when its last send fails',
      { fallbackChannels: [], sends: [send('failed', 0, 9), send('rejected', 5, 7)] },
      { type: 'fail', at: at(9) },
    ],
    [
      'waits until the OTP expires if there is no fallback',
      { fallbackChannels: [] },
      { type: 'wait', until: at(600) },
    ],
    [
      'waits while the organisation is suspended',
      { now: at(40), isSuspended: true },
      { type: 'wait', until: at(70), fallbackChannels: ['sms'] },
    ],
    ['expires the OTP at the end of its lifetime', { now: at(600) }, { type: 'expire' }],
    [
      'expires the OTP although a fallback was held',
      { now: at(600), sends: [send('failed', 0, 5)] },
      { type: 'expire' },
    ],
    [
      'fails the OTP if its last send failed before it expired',
      { now: at(601), fallbackChannels: [], sends: [send('failed', 0, 5)] },
      { type: 'fail', at: at(5) },
    ],
    [
      'expires the OTP if its last send failed after it expired',
      { now: at(700), fallbackChannels: [], sends: [send('expired', 0, 650)] },
      { type: 'expire' },
    ],
    ['does nothing after the OTP has ended', { status: 2 }, { type: 'none' }],
  ])('%s', (_, change, step) => {
    expect(nextStep(otp(change))).toMatchObject(step);
  });

  it('never sends after a delivery, after the end or shortly before expiry, and always has a next time', () => {
    const state = fc.constantFrom<Send['state'][]>(
      'queued',
      'sent',
      'delivered',
      'read',
      'failed',
      'undelivered',
    );
    const sends = fc.array(
      fc
        .record({ state, placed: fc.nat(600) })
        .map(({ state: own, placed }) => send(own, placed, placed + 1)),
      { minLength: 1, maxLength: 4 },
    );
    const progress = fc.record({
      status: fc.constantFrom(1, 1, 1, 2, 3, 4, 5),
      now: fc.nat(700).map(at),
      fallbackChannels: fc.constantFrom<OtpProgress['fallbackChannels'][]>([], ['sms'], ['whatsapp', 'sms']),
      fallbackAfter: fc.integer({ min: 5, max: 300 }),
      isSuspended: fc.boolean(),
      sends,
    });
    fc.assert(
      fc.property(progress.map(otp), (given) => {
        const step = nextStep(given);
        const left = given.expiresAt.getTime() - given.now.getTime();
        if (step.type === 'send') {
          expect(given.sends.some((own) => own.state === 'delivered' || own.state === 'read')).toBe(false);
          expect([given.status, left > 60_000, given.isSuspended]).toEqual([1, true, false]);
        }
        if (step.type === 'wait') {
          expect(step.until > given.now && step.until <= given.expiresAt).toBe(true);
        }
        if (step.type === 'expire') expect(left).toBeLessThanOrEqual(0);
        expect(step.type === 'none').toBe(given.status !== 1);
      }),
    );
  });
});
