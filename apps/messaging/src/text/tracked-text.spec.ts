import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { linksIn, withLinks } from './tracked-text.js';

describe('the links of a text', () => {
  it.each<[text: string, links: string[]]>([
    ['no link, not even example.com or ftp://example.com', []],
    ['https://example.com', ['https://example.com']],
    ['See https://example.com/a?b=c&d=e#f.', ['https://example.com/a?b=c&d=e#f']],
    [
      '(http://example.com/a_(b)), or HTTPS://EXAMPLE.COM!',
      ['http://example.com/a_(b)', 'HTTPS://EXAMPLE.COM'],
    ],
    [
      "“https://a.example” <https://b.example> 'https://c.example'",
      ['https://a.example', 'https://b.example', 'https://c.example'],
    ],
    ['https://youtu.be/abc_ https://x.example/~me/', ['https://youtu.be/abc_', 'https://x.example/~me/']],
    ['https://a.example\nhttps://a.example', ['https://a.example', 'https://a.example']],
    ['xhttps://a.example https:// https://) http://[bad', []],
    ['https://müller.example/ü.', ['https://müller.example/ü']],
    ['https://a.example/?q=https://b.example', ['https://a.example/?q=https://b.example']],
  ])('are found in %j', (text, links) => {
    expect(linksIn(text)).toEqual(links);
  });

  it('are each replaced in place; the rest of the text stays', () => {
    const text = 'First https://a.example, then (https://b.example/c).';
    expect(withLinks(text, ['S/1', 'S/2'])).toBe('First S/1, then (S/2).');
    expect(withLinks(text, ['S/1'])).toBe('First S/1, then (https://b.example/c).');
  });

  it('give the original text when they are put back, for any text', () => {
    const pieces = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(' ', '.', '(', ')', 'http://'),
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const text = parts.join('');
        expect(withLinks(text, linksIn(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
