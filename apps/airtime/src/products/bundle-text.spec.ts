import { describe, expect, it } from '@jest/globals';
import { readBundleText } from './bundle-text.js';

describe('readBundleText', () => {
  it.each([
    ['N1000 1.5GB - 30 days', { size: '1.5GB', validity: '30 days' }],
    ['N100 100MB - 24 hrs', { size: '100MB', validity: '24 hrs' }],
    ['1.5GB 2-Day Plan', { size: '1.5GB', validity: '2-Day' }],
    ['This Data plan gives 350GB for N60,000 valid for 120days', { size: '350GB', validity: '120days' }],
    ['4.5GB + 3GB Night (30 days)', { validity: '30 days' }],
    ['1GB Daily Plan + 1.5mins.', { size: '1GB' }],
    ['7 days, extended to 14 days', {}],
    ['Xtratalk 500', {}],
  ])('reads %s', (name, expected) => {
    expect(readBundleText(name)).toEqual(expected);
  });
});
