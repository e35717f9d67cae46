import { describe, expect, it } from '@jest/globals';
import { MessagingConfig } from '../../messaging.config.js';
import { isLastAttempt, roundDelay } from './retry-delays.js';
import { RetryPolicies } from './retry-policy.js';

const policies = new RetryPolicies(
  new MessagingConfig({
    DELIVERY_PROVIDER_TIMEOUT_MS: 15_000,
    DELIVERY_RETRY_AFTER: '5s,30s',
    DELIVERY_OTP_RETRY_AFTER: '2s,5s,15s',
    DELIVERY_VALIDITY: '24h',
  }),
);

const delayAfter = (trafficClass: 'sms' | 'otp', attempt: number, providersPerRound: number) =>
  roundDelay(
    attempt,
    policies.policyFor(trafficClass, {
      routeId: null,
      providersPerRound,
      hasNextProvider: false,
      hasOtherProvider: false,
      canAsk: false,
    }),
  );
const isLast = (trafficClass: 'sms' | 'otp', attempt: number, providersPerRound: number) =>
  isLastAttempt(attempt, { ...policies.policyFor(trafficClass), providersPerRound });

describe('the retry policy', () => {
  it('waits longer after each round, and not after the last', () => {
    expect([1, 2, 3].map((attempt) => delayAfter('sms', attempt, 1))).toEqual([5_000, 30_000, undefined]);
    expect([2, 4, 6].map((attempt) => delayAfter('sms', attempt, 2))).toEqual([5_000, 30_000, undefined]);
  });

  it('has shorter delays for OTPs', () => {
    const delays = [1, 2, 3, 4].map((attempt) => delayAfter('otp', attempt, 1));
    expect(delays).toEqual([2_000, 5_000, 15_000, undefined]);
    expect([3, 4].map((attempt) => isLast('otp', attempt, 1))).toEqual([false, true]);
  });

  it('does not end in the middle of a round', () => {
    expect([3, 4, 5, 6].map((attempt) => isLast('sms', attempt, 2))).toEqual([false, false, false, true]);
  });

  it('has a lease that outlasts asking, submitting and storing', () => {
    expect(policies.leaseMs).toBeGreaterThan(3 * policies.timeoutMs);
    expect(policies.validityMs).toBe(86_400_000);
  });
});
