import { describe, expect, it } from '@jest/globals';
import { type Fate, fateOf } from './fate.js';

describe('the fate of a claim', () => {
  it.each<[status: number, first: Fate, later: Fate]>([
    [200, 'keep', 'keep'],
    [204, 'keep', 'keep'],
    [402, 'keep', 'keep'],
    [404, 'keep', 'keep'],
    [409, 'keep', 'keep'],
    [302, 'hand_back', 'hand_back'],
    [400, 'forget', 'hand_back'],
    [401, 'forget', 'hand_back'],
    [403, 'forget', 'hand_back'],
    [429, 'forget', 'hand_back'],
    [503, 'forget', 'hand_back'],
    [500, 'hand_back', 'hand_back'],
    [502, 'hand_back', 'hand_back'],
  ])('after %i is to %s, and on a later attempt to %s', (status, first, later) => {
    expect([fateOf(status, false, 1), fateOf(status, false, 2)]).toEqual([first, later]);
  });

  it('is to hold when the outcome is unknown', () => {
    expect([fateOf(503, true, 1), fateOf(503, true, 2)]).toEqual(['hold', 'hold']);
  });
});
