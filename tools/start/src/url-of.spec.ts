import { describe, expect, it } from '@jest/globals';
import { urlOf } from './settings.js';

describe('urlOf', () => {
  it.each([
    ['127.0.0.1', 'http://localhost:3000'],
    ['0.0.0.0', 'http://localhost:3000'],
    ['::', 'http://localhost:3000'],
    ['192.168.1.5', 'http://192.168.1.5:3000'],
    ['fd00::5', 'http://[fd00::5]:3000'],
    ['box.local', 'http://box.local:3000'],
  ])('gives %s as %s', (host, url) => {
    expect(urlOf(host, 3000)).toBe(url);
  });
});
