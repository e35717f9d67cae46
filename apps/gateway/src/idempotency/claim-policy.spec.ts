import { describe, expect, it } from '@jest/globals';
import { type ClaimEnd, claimEndOf } from './claim-policy.js';

describe('the end of a claim', () => {
  it.each<[status: number, first: ClaimEnd, later: ClaimEnd]>([
    [200, 'store', 'store'],
    [204, 'store', 'store'],
    [402, 'store', 'store'],
    [404, 'store', 'store'],
    [409, 'store', 'store'],
    [302, 'release', 'release'],
    [400, 'delete', 'release'],
    [401, 'delete', 'release'],
    [403, 'delete', 'release'],
    [429, 'delete', 'release'],
    [503, 'delete', 'release'],
    [500, 'release', 'release'],
    [502, 'release', 'release'],
  ])('after %i is %s, and on a later attempt %s', (status, first, later) => {
    expect([claimEndOf(status, false, 1), claimEndOf(status, false, 2)]).toEqual([first, later]);
  });

  it.each([200, 402, 409])('after %i is release if the response is too large to store', (status) => {
    expect(claimEndOf(status, false, 1, false)).toBe('release');
  });

  it('is hold if the outcome is unknown', () => {
    expect([claimEndOf(503, true, 1), claimEndOf(503, true, 2)]).toEqual(['keep', 'keep']);
  });
});
