import { describe, expect, it, jest } from '@jest/globals';
import { SubmissionBuffer } from './submission-buffer.js';

const fill = (organisations: string, buffer = new SubmissionBuffer<Item>(1_000)) => {
  for (const [index, organisationId] of organisations.split('').entries())
    buffer.add({ organisationId, claimedAt: index });
  return buffer;
};
interface Item {
  readonly organisationId: string;
  readonly claimedAt: number;
}
const organisationsOf = (items: readonly Item[]): string =>
  items.map(({ organisationId }) => organisationId).join('');

describe('a submission buffer', () => {
  it('takes one delivery of each organisation in turn, oldest first', () => {
    const buffer = fill('aaaaabbc');
    const taken = buffer.take(6);
    expect(organisationsOf(taken)).toBe('abcaba');
    expect(taken.map(({ claimedAt }) => claimedAt)).toEqual([0, 5, 7, 1, 6, 2]);
    expect(organisationsOf(buffer.take(6))).toBe('aa');
    expect(buffer.take(1)).toEqual([]);
    expect(buffer.size).toBe(0);
  });

  it('continues with the organisation whose turn is next', () => {
    const buffer = fill('aabbcc');
    expect(organisationsOf(buffer.take(2))).toBe('ab');
    expect(organisationsOf(buffer.take(2))).toBe('ca');
  });

  it('takes the deliveries that were claimed before a given time', () => {
    const buffer = fill('abab');
    expect(organisationsOf(buffer.takeClaimedBefore(3))).toBe('aba');
    expect(buffer).toMatchObject({ size: 1, oldest: 3 });
    expect(organisationsOf(buffer.take(2))).toBe('b');
    expect(buffer.oldest).toBeUndefined();
  });

  it('lets an organisation reserve half of the free room', () => {
    const buffer = new SubmissionBuffer<Item>(100);
    const ofA = buffer.reserve('a', 51);
    expect(ofA?.count).toBe(50);
    expect(buffer.reserve('b', 26)?.count).toBe(25);
    expect(buffer.reserve('c', 13)?.count).toBe(13);
    expect(buffer.reserve('a', 1)).toBeUndefined();
    ofA?.release();
    expect(buffer.reserve('a', 31)?.count).toBe(31);
  });

  it('reserves less of a smaller room', () => {
    const buffer = new SubmissionBuffer<Item>(100);
    expect(buffer.reserve('a', 51, 20)?.count).toBe(10);
    expect(buffer.reserve('b', 51, 20)?.count).toBe(5);
    expect(buffer.reserve('c', 1, 15)).toBeUndefined();
  });

  it('knows for a minute how many leave in a second, if they have waited for too long', () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const buffer = new SubmissionBuffer<Item>(1_000);
    const pass = (deliveries: number, ms: number): void => {
      for (let count = 0; count < deliveries; count += 1) buffer.add({ organisationId: 'a', claimedAt: now });
      now += ms;
      buffer.take(deliveries);
    };
    for (let round = 0; round < 100; round += 1) pass(401, 2_000);
    // Too few to say anything about the pace.
    pass(50, 1);
    expect(buffer.perSecond).toBe(Infinity);
    buffer.slowDown();
    expect(Math.round(buffer.perSecond)).toBe(100);
    pass(401, 2_000);
    expect(Math.round(buffer.perSecond)).toBe(113);
    now += 60_000;
    expect(buffer.perSecond).toBe(Infinity);
    clock.mockRestore();
  });
});
