import { describe, expect, it } from '@jest/globals';
import { organisationLimit, shareOf } from './rate-limiter.js';

const defaults = { perSecond: 100, burst: 200 };
const limitOf = (requestsPerSecond: number | null, requestBurst: number | null) =>
  organisationLimit({ requestsPerSecond, requestBurst }, defaults);

describe('the limit of an organisation', () => {
  it('is the default where its row is NULL', () => {
    expect(limitOf(null, null)).toEqual(defaults);
    expect(limitOf(20, null)).toEqual({ perSecond: 20, burst: 200 });
    expect(limitOf(null, 50)).toEqual({ perSecond: 100, burst: 50 });
  });

  it('allows a burst of one second if only the rate was raised', () => {
    expect(limitOf(5_000, null)).toEqual({ perSecond: 5_000, burst: 5_000 });
  });

  it('is taken from its row', () => {
    expect(limitOf(10, 5)).toEqual({ perSecond: 10, burst: 5 });
  });

  it('does not exist with a rate of 0, its own or by default', () => {
    expect(limitOf(0, null)).toBeUndefined();
    expect(limitOf(0, 50)).toBeUndefined();
    expect(
      organisationLimit({ requestsPerSecond: null, requestBurst: 5 }, { perSecond: 0, burst: 200 }),
    ).toBeUndefined();
  });

  it('is not disabled by a burst of 0', () => {
    expect(limitOf(10, 0)).toEqual({ perSecond: 10, burst: 10 });
  });

  it('is divided between keys, at least one request each', () => {
    expect(shareOf(defaults, 80)).toEqual({ perSecond: 80, burst: 160 });
    expect(shareOf({ perSecond: 1, burst: 1 }, 10)).toEqual({ perSecond: 0.1, burst: 1 });
  });
});
