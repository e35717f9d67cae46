import { describe, expect, it } from '@jest/globals';
import { MessagingConfig } from '../messaging.config.js';
import { Patience } from './retry-policy.js';

const patience = new Patience(
  new MessagingConfig({
    DELIVERY_PROVIDER_TIMEOUT_MS: 15_000,
    DELIVERY_RETRY_AFTER: '5s,30s',
    DELIVERY_OTP_RETRY_AFTER: '2s,5s,15s',
    DELIVERY_VALIDITY: '24h',
  }),
);

describe('patience', () => {
  it('waits longer after each round, and ends with the schedule', () => {
    expect([1, 2, 3].map((attempt) => patience.afterRound('sms', attempt, 1))).toEqual([
      5_000,
      30_000,
      undefined,
    ]);
    expect([2, 4, 6].map((attempt) => patience.afterRound('sms', attempt, 2))).toEqual([
      5_000,
      30_000,
      undefined,
    ]);
  });

  it('is shorter with OTPs', () => {
    const pauses = [1, 2, 3, 4].map((attempt) => patience.afterRound('otp', attempt, 1));
    expect(pauses).toEqual([2_000, 5_000, 15_000, undefined]);
    expect([3, 4].map((attempt) => patience.isLast('otp', attempt, 1))).toEqual([false, true]);
  });

  it('does not end within a round', () => {
    expect([3, 4, 5, 6].map((attempt) => patience.isLast('sms', attempt, 2))).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('holds what it claims for longer than asking, submitting and writing down can take', () => {
    expect(patience.leaseMs).toBeGreaterThan(3 * patience.callMs);
    expect(patience.validityMs).toBe(86_400_000);
  });
});
