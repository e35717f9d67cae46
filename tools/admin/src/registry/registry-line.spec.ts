import { describe, expect, it } from '@jest/globals';
import { isHeading, readLine } from './registry-line.js';

describe('a line of a registry', () => {
  it.each([
    ['ported', ['0803 123 4567', 'mtn'], { phone: '+2348031234567', operator: 'MTN' }],
    ['ported', ['+447911123456', 'Vodafone UK'], { phone: '+447911123456', operator: 'Vodafone UK' }],
    ['dnd', ['2348031234567', 'whatever'], { phone: '+2348031234567' }],
  ] as const)('%s %j', (registry, cells, entry) => {
    expect(readLine(registry, cells)).toEqual(entry);
  });

  it.each([
    ['ported', ['0803 123 4567'], /operator, is missing/],
    ['ported', ['0803 123 4567', 'x'.repeat(65)], /more than 64/],
    ['ported', ['MTN', '0803 123 4567'], /no phone number/],
    ['dnd', ['112'], /no phone number/],
    ['dnd', [], /no phone number/],
  ] as const)('%s %j is refused', (registry, cells, reason) => {
    expect(readLine(registry, cells)).toMatch(reason);
  });

  it('may name the columns', () => {
    expect([['phone', 'operator'], ['MSISDN'], ['Phone number'], ['0803'], []].map(isHeading)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
