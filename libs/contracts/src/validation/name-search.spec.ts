import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editDistance, NameSearch } from './name-search.js';

describe('the distance between words', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['phone', 'phone', 0],
    ['phonee', 'phone', 1],
    ['pone', 'phone', 1],
    ['phnoe', 'phone', 1],
    ['phome', 'phone', 1],
    ['kitten', 'sitting', 3],
  ])('%j to %j is %i', (one, other, distance) => {
    expect(editDistance(one, other)).toBe(distance);
    expect(editDistance(other, one)).toBe(distance);
  });

  it('is at least the difference in length and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const distance = editDistance(one, other);
        expect(distance).toBeGreaterThanOrEqual(Math.abs(one.length - other.length));
        expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length));
        expect(distance === 0).toBe(one === other);
      }),
    );
  });
});

describe('the closest word', () => {
  it.each([
    ['recipents', ['recipient', 'recipients', 'content'], 'recipients'],
    ['senderId', ['sender_id'], 'sender_id'],
    ['Phone', ['phone'], 'phone'],
    ['t', ['to'], 'to'],
    ['id', ['token'], undefined],
    ['amount', ['network', 'recipient'], undefined],
    ['x'.repeat(10_000), ['x'.repeat(10_001)], undefined],
    ['phone', [], undefined],
  ])('to %.20j of %.60j is %j', (word, candidates, expected) => {
    expect(new NameSearch().closest(word, candidates)).toBe(expected);
  });

  it('is searched with at most 50 comparisons', () => {
    const names = new NameSearch();
    for (let index = 0; index < 1_000; index += 1)
      names.closest(`name${index}`, ['names', 'nature', 'phone']);
    expect(names.comparisons).toBe(50);
    expect(names.closest('names', ['names'])).toBeUndefined();
  });

  it('is searched only among short words of similar length, without comparing others', () => {
    const names = new NameSearch();
    const others = ['a', 'ab', 'recipients_of_it', 'x'.repeat(41), 'x'.repeat(100_000)];
    expect(names.closest('recipients', others)).toBeUndefined();
    expect(names.closest('x'.repeat(41), others)).toBeUndefined();
    expect(names.comparisons).toBe(0);
  });
});
