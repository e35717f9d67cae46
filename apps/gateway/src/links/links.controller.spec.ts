import { describe, expect, it } from '@jest/globals';
import { isVisit } from './links.controller.js';

describe('following a link', () => {
  it.each([{}, { purpose: '' }, { 'user-agent': 'prefetch' }, { 'sec-fetch-dest': 'document' }])(
    'counts with %p',
    (headers) => {
      expect(isVisit({ method: 'GET', headers })).toBe(true);
    },
  );

  it.each([
    { purpose: 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { 'x-purpose': 'preview' },
    { 'x-moz': 'Prefetch' },
    { purpose: ['x', 'prefetch'] },
  ] as object[])('does not count with %p', (headers) => {
    expect(isVisit({ method: 'GET', headers: headers as Record<string, string> })).toBe(false);
  });

  it('does not count for HEAD', () => {
    expect(isVisit({ method: 'HEAD', headers: {} })).toBe(false);
  });
});
