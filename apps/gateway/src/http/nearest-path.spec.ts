import { describe, expect, it } from '@jest/globals';
import { nearestPath } from './nearest-path.js';

const routes = ['/', '/lookup/phone', '/otp/:id', '/otp/verify', '/sms/send', '/lists/contact/rows/:id'];

describe('the nearest path', () => {
  it.each([
    ['/lookup/phon', '/lookup/phone'],
    ['/lookup/hpone', '/lookup/phone'],
    ['/Lookup/Phone', '/lookup/phone'],
    ['/lookupphone', '/lookup/phone'],
    ['/v1/sms/send', '/sms/send'],
    ['/sms/sned', '/sms/send'],
    ['/otps/01a1dd98-ffc6-7f4b-beeb-767704693149', '/otp/{id}'],
    ['/list/contact/rows/01a1dd98-ffc6-7f4b-beeb-767704693149', '/lists/contact/rows/{id}'],
    ['/otp/verify/x', '/otp/verify'],
    ['/nope', undefined],
    ['/balance', undefined],
    ['', undefined],
    [`/lookup/phone${'e'.repeat(10_000)}`, undefined],
  ])('to %.60s is %s', (path, expected) => {
    expect(nearestPath(path, routes)).toBe(expected);
  });
});
