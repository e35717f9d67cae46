import { describe, expect, it } from '@jest/globals';
import { usableUrl } from './usable-url.js';

describe('the URL that is looked for', () => {
  it.each(['/', '/a/b?c=d', '/a/%20%2f%25?x=%00&y=%zz', '/a#%zz', '/%F0%9F%98%80', '/%2500', '/100%25'])(
    'is %s as it was asked for',
    (url) => {
      expect(usableUrl(url)).toBe(url);
    },
  );

  it.each([
    ['/a/%zz', '/a/%25zz'],
    ['/a/%', '/a/%25'],
    ['/a/%ff?x=%20', '/a/%25ff?x=%20'],
    ['/a/%ED%A0%80', '/a/%25ED%25A0%2580'],
    ['/a/x%00y#%00', '/a/x%2500y#%00'],
    ['/%61/%zz/%2f', '/%2561/%25zz/%252f'],
  ])('for %s is %s, which says the same without a code', (asked, url) => {
    expect(usableUrl(asked)).toBe(url);
    expect(decodeURIComponent(url.split(/[?#]/)[0] ?? '')).toBe(asked.split(/[?#]/)[0]);
  });
});
