import { describe, expect, it } from '@jest/globals';
import { compare, type Comparison } from './compare.js';

const equal = { kobo: 10_000n, micros: 100_000_000n, isProof: true };
const kindOf = (values: Pick<Comparison, 'here' | 'there'> & Partial<Comparison>) => {
  const found = compare({ ...equal, ...values });
  return found && [found.kind, found.resolution];
};

describe('a purchase and a statement', () => {
  it.each([
    ['charged', 'charged', undefined],
    ['refunded', 'charged', ['charged_there', '']],
    ['elsewhere', 'charged', ['charged_there', '']],
    ['waiting', 'charged', ['unsettled', 'success']],
    ['charged', 'failed', ['charged_here', '']],
    ['charged', 'absent', ['charged_here', '']],
    ['waiting', 'failed', ['unsettled', 'failed']],
    ['waiting', 'absent', ['unsettled', 'failed']],
    ['refunded', 'failed', undefined],
    ['refunded', 'absent', undefined],
    ['elsewhere', 'failed', undefined],
    ['charged', 'pending', ['pending_there', '']],
    ['refunded', 'pending', ['pending_there', '']],
    ['waiting', 'pending', undefined],
    ['elsewhere', 'pending', undefined],
  ] as const)('are compared as %s here and %s there', (here, there, expected) => {
    expect(kindOf({ here, there })).toEqual(expected);
  });

  it('are not settled if their amounts differ', () => {
    for (const here of ['charged', 'waiting'] as const)
      expect(kindOf({ here, there: 'charged', micros: 100_000_001n })).toEqual(['amount', '']);
  });

  it('are not settled by an amount that is not in naira, nor by a statement that may still change', () => {
    expect(kindOf({ here: 'waiting', there: 'charged', micros: null })).toEqual(['unsettled', '']);
    expect(kindOf({ here: 'charged', there: 'charged', micros: null })).toBeUndefined();
    for (const there of ['failed', 'absent'] as const)
      expect(kindOf({ here: 'waiting', there, isProof: false })).toEqual(['unsettled', '']);
  });
});
