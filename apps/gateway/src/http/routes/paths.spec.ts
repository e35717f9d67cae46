import { NameSearch } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { nearestPath, routableUrl } from './paths.js';

const routes = [
  ...['/', '/lookup/phone', '/otp/:id', '/otp/verify', '/sms/send', '/lists/contact/rows/:id'],
  ...['/l/:code', '/in/:provider/:token'],
];

describe('the nearest path', () => {
  it.each([
    ['/lookup/phon', '/lookup/phone'],
    ['/lookup/hpone', '/lookup/phone'],
    ['/Lookup/Phone', '/lookup/phone'],
    ['/lookupphone', '/lookup/phone'],
    ['/v1/sms/send', '/sms/send'],
    ['/v2/lookup/phone', '/lookup/phone'],
    ['/api/v1/sms/sned', '/sms/send'],
    ['/api/lookup/phone', '/lookup/phone'],
    ['/V1/sms/send', '/sms/send'],
    ['/API/V1/SMS/Send', '/sms/send'],
    ['/v1/otp', '/otp/{id}'],
    ['/a/b/c', undefined],
    ['/sms/abc/status', undefined],
    ['/x/y', undefined],
    ['/v1/otp/01a1dd98-ffc6-7f4b-beeb-767704693149', '/otp/{id}'],
    ['/v1/nope', undefined],
    ['/v1', undefined],
    ['/v1/', undefined],
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

  it('is searched with at most 50 comparisons, however many routes are similar', () => {
    const names = new NameSearch();
    const similar = Array.from({ length: 500 }, (_, index) => `/lists/${index}/rows/:id`);
    nearestPath('/lists/abc/rows/01a1dd98-ffc6-7f4b-beeb-767704693149', similar, names);
    expect(names.comparisons).toBe(50);
  });
});

describe('the URL for the router', () => {
  it.each(['/', '/a/b?c=d', '/a/%20%2f%25?x=%00&y=%zz', '/a#%zz', '/%F0%9F%98%80', '/%2500', '/100%25'])(
    'of %s is unchanged',
    (url) => {
      expect(routableUrl(url)).toBe(url);
    },
  );

  it.each([
    ['/a/%zz', '/a/%25zz'],
    ['/a/%', '/a/%25'],
    ['/a/%ff?x=%20', '/a/%25ff?x=%20'],
    ['/a/%ED%A0%80', '/a/%25ED%25A0%2580'],
    ['/a/x%00y#%00', '/a/x%2500y#%00'],
    ['/%61/%zz/%2f', '/%2561/%25zz/%252f'],
  ])('of %s is %s, which is taken literally', (asked, url) => {
    expect(routableUrl(asked)).toBe(url);
    expect(decodeURIComponent(url.split(/[?#]/)[0] ?? '')).toBe(asked.split(/[?#]/)[0]);
  });
});
