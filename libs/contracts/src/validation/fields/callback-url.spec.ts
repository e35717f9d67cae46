import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validate } from '../validate.js';
import { ContractSettings } from '../../settings.js';
import { callbackUrlError, IsCallbackUrl } from './callback-url.js';

class Request {
  @IsCallbackUrl()
  callback: string;
}

const errorOf = (callback: unknown, settings?: ContractSettings) => {
  const result = validate(Request, { callback }, settings);
  return result.ok ? undefined : result.errors[0];
};
const longest = `https://example.com/${'x'.repeat(2_048 - 'https://example.com/'.length)}`;

describe('a callback URL', () => {
  it.each([
    'https://example.com',
    'http://example.com:8080/callbacks?token=x&y=%20#',
    'HTTPS://EXAMPLE.COM./',
    'https://hooks.müller.example/ü?q=ü',
    'https://a_b.example.com/',
    'https://93.184.215.14/',
    'https://[2606:4700::1111]:8443/',
    longest,
  ])('may be %s', (url) => {
    expect(errorOf(url)).toBeUndefined();
  });

  it.each([
    ['', 'starts with http'],
    ['example.com', 'starts with http'],
    ['/callbacks', 'starts with http'],
    ['//example.com', 'starts with http'],
    ['ftp://example.com', 'starts with http'],
    ['https:example.com', 'starts with http'],
    ['https://', 'starts with http'],
    ['https://exa mple.com', 'starts with http'],
    [' https://example.com', 'starts with http'],
    ['https://example.com/\r\nx', 'starts with http'],
    ['https://example.com/\u0000', 'starts with http'],
    ['https://example.com\\x', 'starts with http'],
    ['https://example.com:99999', 'starts with http'],
    ['https://user@example.com', 'user name'],
    ['https://:secret@example.com', 'user name'],
    ['https://example.com/#here', 'fragment'],
    ['http://localhost:3000', 'public internet'],
    ['http://api.localhost', 'public internet'],
    ['http://printer.local', 'public internet'],
    ['http://metadata.google.internal', 'public internet'],
    ['http://router.home.arpa', 'public internet'],
    ['http://redis:6379', 'public internet'],
    ['http://127.1', 'public internet'],
    ['http://2130706433', 'public internet'],
    ['http://[::ffff:10.0.0.1]', 'public internet'],
    ['http://a..example.com', 'public internet'],
    [`http://${'x.'.repeat(130)}example.com`, 'public internet'],
  ])('may not be %j', (url, message) => {
    expect(errorOf(url)).toEqual({
      field: 'callback',
      type: 'url',
      message: expect.stringContaining(message),
    });
  });

  it('has a type and a maximum length', () => {
    expect(errorOf(`${longest}x`)).toMatchObject({ type: 'string_too_long' });
    for (const value of [1, true, [], ['https://example.com'], {}]) {
      expect(errorOf(value)).toMatchObject({ type: 'string_type' });
    }
  });

  it('may be private if the settings allow it, and must still be a URL', () => {
    const settings = new ContractSettings({ CALLBACK_ALLOW_PRIVATE: true });
    for (const url of ['http://localhost:3000', 'http://127.0.0.1', 'http://redis/x', 'http://[::1]:80/']) {
      expect(errorOf(url, settings)).toBeUndefined();
    }
    expect(errorOf('ftp://localhost', settings)).toMatchObject({ type: 'url' });
    expect(errorOf('http://user@localhost', settings)).toMatchObject({ type: 'url' });
  });

  describe('of an organisation whose callbacks are restricted', () => {
    const settings = new ContractSettings({ CALLBACK_ALLOW_PRIVATE: true });
    const inProduction = settings.withCallbackRules({ requiresHttps: true });
    const elsewhere = settings.withCallbackRules({ requiresHttps: false });

    it('starts with https:// in production', () => {
      expect(errorOf('http://example.com/x', inProduction)).toMatchObject({
        type: 'url',
        message: expect.stringContaining('must start with https://'),
      });
      expect(errorOf('http://localhost/x', elsewhere)).toBeUndefined();
      expect(errorOf('https://example.com:8443/x', inProduction)).toBeUndefined();
    });

    it('never has a port that browsers block', () => {
      for (const rules of [inProduction, elsewhere])
        expect(errorOf('https://example.com:25/', rules)).toMatchObject({
          type: 'url',
          message: expect.stringContaining('must not have the port 25'),
        });
      expect(errorOf('https://example.com:25/')).toBeUndefined();
      expect(errorOf('https://example.com/', inProduction)).toBeUndefined();
    });
  });

  it('of any text is checked without an exception, and an accepted one leads where it says', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.string().map((host) => `http://${host}/`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        if (callbackUrlError(text) !== undefined) return;
        const { protocol, username, hash } = new URL(text);
        expect([protocol, username, hash]).toEqual([expect.stringMatching(/^https?:$/), '', '']);
      }),
      { numRuns: 2_000 },
    );
  });
});
