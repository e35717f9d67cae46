import { describe, expect, it } from '@jest/globals';
import { maskPhone } from './mask-phone.js';

describe('maskPhone', () => {
  it.each([
    ['+2348031234567', '+234*******567'],
    ['08031234567', '080*****567'],
    [' 2348031234567 ', '234*******567'],
    ['+447911123', '******' + '****'],
    ['12345', '*****'],
    ['', ''],
  ])('%j becomes %j', (phone, masked) => {
    expect(maskPhone(phone)).toBe(masked);
  });
});
