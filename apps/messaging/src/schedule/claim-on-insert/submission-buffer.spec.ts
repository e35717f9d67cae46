import { describe, expect, it } from '@jest/globals';
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
});
