import { expect, it } from '@jest/globals';
import { parseUrl } from './parse-url.js';

it('parses a URL with an umlaut repeatedly', () => {
  const parsed = Array.from({ length: 20_000 }, () => parseUrl('https://müller.example/ü'));
  expect(new Set(parsed.map((url) => url?.href))).toEqual(new Set(['https://xn--mller-kva.example/%C3%BC']));
});

it.each(['', 'example.com', 'https://'])('rejects %j', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});
