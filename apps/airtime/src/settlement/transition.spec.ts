import { describe, expect, it } from '@jest/globals';
import { type Finish, type PurchaseEvent, transition, type Wait } from './transition.js';

const minute = 60_000;
const schedule = {
  notFoundAfterMs: minute,
  nextDelayMs: (elapsedMs: number) => (elapsedMs < 10 * minute ? minute : undefined),
};
const reason = { code: 'x', message: 'why' };
const now = new Date('2026-11-15T10:00:00Z');

describe('transition', () => {
  it.each<[string, PurchaseEvent, elapsedMs: number, Partial<Finish | Wait>]>([
    ['a success', { kind: 'success' }, 0, { to: 'success', confirmed: true }],
    ['a late success', { kind: 'success' }, 99 * minute, { to: 'success', confirmed: true }],
    ['a failure', { kind: 'failed', reason }, 0, { to: 'failed', reason }],
    ['a provider that does not sell it', { kind: 'declined', reason }, 0, { to: 'failed', reason }],
    ['nothing sent', { kind: 'not_sent', reason }, 0, { to: 'pending', retryInMs: minute }],
    [
      'nothing sent, too often',
      { kind: 'not_sent', reason },
      10 * minute,
      { to: 'failed', reason: expect.objectContaining({ code: 'provider_unreachable' }) as never },
    ],
    ['an unknown outcome', { kind: 'unknown', reason }, 0, { to: 'sent', retryInMs: minute, reason }],
    ['an unknown outcome, too long', { kind: 'unknown', reason }, 10 * minute, { to: 'error', reason }],
    [
      'an unknown outcome without a reason, too long',
      { kind: 'unknown' },
      10 * minute,
      { to: 'error', reason: expect.objectContaining({ code: 'no_answer' }) as never },
    ],
    ['a duplicate', { kind: 'duplicate' }, 0, { to: 'duplicate' }],
    ['not found, too early', { kind: 'not_found' }, minute - 1, { to: 'sent', retryInMs: 1 }],
    ['not found, much too early', { kind: 'not_found' }, 0, { to: 'sent', retryInMs: minute }],
    [
      'not found',
      { kind: 'not_found' },
      minute,
      { to: 'failed', reason: expect.objectContaining({ code: 'never_arrived' }) as never },
    ],
    [
      'not found, by a provider that may list it later',
      { kind: 'not_found', finalAfterMs: 2 * minute },
      2 * minute - 1,
      { to: 'sent', retryInMs: 1 },
    ],
    [
      'not found, by a provider that would list it by now',
      { kind: 'not_found', finalAfterMs: 2 * minute },
      2 * minute,
      { to: 'failed', reason: expect.objectContaining({ code: 'never_arrived' }) as never },
    ],
    [
      'a suspension that lasted too long',
      { kind: 'lapsed' },
      0,
      { to: 'failed', reason: expect.objectContaining({ code: 'suspended' }) as never },
    ],
    ['resolved as success', { kind: 'resolved', state: 'success' }, 99 * minute, { to: 'success' }],
    [
      'resolved as failed',
      { kind: 'resolved', state: 'failed' },
      99 * minute,
      { to: 'failed', reason: expect.objectContaining({ code: 'failed_by_hand' }) as never },
    ],
  ])('decides after %s', (_, event, elapsedMs, expected) => {
    const createdAt = new Date(now.getTime() - elapsedMs);
    expect(transition({ elapsedMs, createdAt }, event, schedule, now)).toMatchObject(expected);
  });

  it('does not treat a resolution as a report of the provider', () => {
    const next = transition(
      { elapsedMs: 0, createdAt: now },
      { kind: 'resolved', state: 'success' },
      schedule,
    );
    expect(next).not.toHaveProperty('confirmed');
  });
});
