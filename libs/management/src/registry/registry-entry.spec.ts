import { describe, expect, it } from '@jest/globals';
import { readRegistryEntry } from './registry-entry.js';

describe('a line of a registry', () => {
  it.each([
    ['ported', ['0803 123 4567', 'mtn'], { phone: '+2348031234567', operator: 'MTN' }],
    ['ported', ['+447911123456', 'Vodafone UK'], { phone: '+447911123456', operator: 'Vodafone UK' }],
    ['ported', ['08031234567', 'GLOBACOM'], { phone: '+2348031234567', operator: 'Glo' }],
    ['ported', ['08031234567', 'Globacom Ltd.'], { phone: '+2348031234567', operator: 'Glo' }],
    ['ported', ['08031234567', 'Etisalat'], { phone: '+2348031234567', operator: '9mobile' }],
    ['ported', ['08031234567', '9 Mobile'], { phone: '+2348031234567', operator: '9mobile' }],
    ['ported', ['08031234567', 'Airtel Nigeria'], { phone: '+2348031234567', operator: 'Airtel' }],
    ['ported', ['08031234567', 'ntel'], { phone: '+2348031234567', operator: 'NTEL' }],
    [
      'ported',
      ['08031234567', 'Smile'],
      { phone: '+2348031234567', operator: 'Smile', isUnknownOperator: true },
    ],
    ['ported', ['+971501234567', 'Etisalat'], { phone: '+971501234567', operator: 'Etisalat' }],
    ['dnd', ['2348031234567', 'whatever'], { phone: '+2348031234567' }],
  ] as const)('%s %j', (registry, cells, entry) => {
    expect(readRegistryEntry(registry, cells)).toEqual(entry);
  });

  it.each([
    ['ported', ['0803 123 4567'], /operator, is missing/],
    ['ported', ['0803 123 4567', 'x'.repeat(65)], /more than 64/],
    ['ported', ['0803 123 4567', 'MT\0N'], /control characters/],
    ['ported', ['MTN', '0803 123 4567'], /not a phone number/],
    ['dnd', ['112'], /not a phone number/],
    ['dnd', [], /not a phone number/],
  ] as const)('%s %j is refused', (registry, cells, reason) => {
    expect(readRegistryEntry(registry, cells)).toMatch(reason);
  });
});
