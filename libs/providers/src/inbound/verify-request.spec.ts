import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { InboundSettings } from './inbound-settings.js';
import type { ReceivedRequest } from './received-request.js';
import { findForgery } from './verify-request.js';

const isGenuine = (...given: Parameters<typeof findForgery>): boolean => findForgery(...given) === undefined;

const request = (change: Partial<ReceivedRequest>): ReceivedRequest => ({
  method: 'POST',
  url: 'https://sms.example/in/a/b',
  headers: {},
  body: Buffer.alloc(0),
  ...change,
});

describe('a signature over the body', () => {
  // Test case 2 of RFC 2202 (SHA-1) and RFC 4231 (SHA-256, SHA-512).
  const body = Buffer.from('what do ya want for nothing?');
  const secrets = { key: 'Jefe' };
  const vectors = {
    sha1: 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
    sha256: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    sha512:
      '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
  } as const;
  const settings = (algorithm: keyof typeof vectors, change: object = {}): InboundSettings => ({
    hmac: { header: 'X-Signature', algorithm, secret: '{secret.key}', ...change },
  });
  const signed = (signature: string | string[]) => request({ body, headers: { 'x-signature': signature } });

  it.each(Object.entries(vectors))('is accepted for %s', (name, hex) => {
    const algorithm = name as keyof typeof vectors;
    expect(isGenuine(settings(algorithm), secrets, signed(hex))).toBe(true);
    expect(isGenuine(settings(algorithm), secrets, signed(hex.toUpperCase()))).toBe(true);
    const base64 = Buffer.from(hex, 'hex').toString('base64');
    const encoded = settings(algorithm, { encoding: 'base64', prefix: 'v1=' });
    expect(isGenuine(encoded, secrets, signed(`v1=${base64}`))).toBe(true);
    for (const forged of [base64, `v2=${base64}`, 'v1=', '', hex])
      expect(isGenuine(encoded, secrets, signed(forged))).toBe(false);
  });

  it('is refused for another body, a wrong or missing secret, and a repeated header', () => {
    const { sha256 } = vectors;
    const other = { ...signed(sha256), body: Buffer.from('what do ya want for nothing!') };
    expect(isGenuine(settings('sha256'), secrets, other)).toBe(false);
    expect(isGenuine(settings('sha256'), { key: 'jefe' }, signed(sha256))).toBe(false);
    expect(isGenuine(settings('sha256'), {}, signed(sha256))).toBe(false);
    expect(isGenuine(settings('sha256'), secrets, request({ body }))).toBe(false);
    expect(isGenuine(settings('sha256'), secrets, signed([sha256, sha256]))).toBe(false);
    const empty = createHmac('sha256', '').update(body).digest('hex');
    expect(isGenuine(settings('sha256'), { key: '' }, signed(empty))).toBe(false);
  });

  it('is refused without a body, because the query is read then', () => {
    const signature = createHmac('sha256', 'Jefe').update('').digest('hex');
    for (const method of ['GET', 'POST']) {
      const unsigned = request({ method, url: 'https://sms.example/in/a/b?status=delivered' });
      const headers = { 'x-signature': signature };
      expect(isGenuine(settings('sha256'), secrets, { ...unsigned, headers })).toBe(false);
    }
  });
});

/** The example of https://www.twilio.com/docs/usage/security. */
describe('the signature of Twilio', () => {
  const settings: InboundSettings = { twilio: { secret: '{secret.auth_token}' } };
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const fields = {
    To: '+18005551212',
    Digits: '1234',
    Caller: '+14158675309',
    From: '+14158675309',
    CallSid: 'CA1234567890ABCDE',
  };
  const signed = (change: Partial<ReceivedRequest> = {}) =>
    request({
      url,
      headers: { 'x-twilio-signature': 'RSOYDt4T1cUTdK1PDd93/VVr8B8=' },
      body: Buffer.from(new URLSearchParams(fields).toString()),
      ...change,
    });
  const isAccepted = (change?: Partial<ReceivedRequest>) =>
    isGenuine(settings, { auth_token: '12345' }, signed(change));

  it('covers the URL and the sorted fields', () => {
    expect(isAccepted()).toBe(true);
    expect(isAccepted({ url: `${url}&x` })).toBe(false);
    expect(isAccepted({ body: Buffer.from('To=%2B18005551212') })).toBe(false);
    expect(isAccepted({ headers: {} })).toBe(false);
    expect(isGenuine(settings, { auth_token: '12346' }, signed())).toBe(false);
    expect(isGenuine(settings, {}, signed())).toBe(false);
  });

  it('of a GET covers only the URL, so a body is refused', () => {
    const signature = createHmac('sha1', '12345').update(url).digest('base64');
    const get = { method: 'GET', headers: { 'x-twilio-signature': signature } };
    expect(isAccepted({ ...get, body: Buffer.alloc(0) })).toBe(true);
    expect(isAccepted({ ...get, url: `${url}3`, body: Buffer.alloc(0) })).toBe(false);
    expect(isAccepted({ ...get, body: Buffer.from('{"status":"delivered"}') })).toBe(false);
  });

  it('covers the distinct values of a repeated field, sorted', () => {
    const signature = createHmac('sha1', '12345').update(`${url}a1a2b3`).digest('base64');
    const headers = { 'x-twilio-signature': signature };
    expect(isAccepted({ headers, body: Buffer.from('a=2&b=3&a=1&a=2') })).toBe(true);
    expect(isAccepted({ headers, body: Buffer.from('a=2&b=3&a=4') })).toBe(false);
  });

  it('is checked in time proportional to the number of fields', () => {
    const bodyOf = (count: number): Buffer =>
      Buffer.from(Array.from({ length: count }, (_, index) => index.toString(36)).join('&'));
    const [few, many] = [bodyOf(5_000), bodyOf(50_000)];
    const cpuOf = (body: Buffer): number => {
      const before = process.cpuUsage();
      expect(isAccepted({ body })).toBe(false);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // Measured alternately, so that noise affects both.
    const times = Array.from({ length: 5 }, () => [cpuOf(few), cpuOf(many)] as const);
    const least = (index: 0 | 1): number => Math.min(...times.map((pair) => pair[index]));
    // Ten times the fields; a time that grows with their square would be a hundred times as long.
    expect(least(1) / least(0)).toBeLessThan(30);
  });
});

/** https://www.twilio.com/docs/usage/security and https://www.twilio.com/docs/api/errors/57012: bodies of other types. */
describe('the signature of Twilio for a JSON body', () => {
  const body = Buffer.from('{"MessageSid":"SM1","MessageStatus":"delivered"}');
  // sha256sum of the body.
  const hash = 'ce8c3c8da52a17f7dd3e526b3b67d41402b438513f6b2faf55189573f2873f02';
  const url = `https://sms.example/in/twilio/token?bodySHA256=${hash}`;
  const isAccepted = (change: Partial<ReceivedRequest> = {}, signed = url) => {
    const signature = createHmac('sha1', '12345').update(signed).digest('base64');
    const headers = { 'x-twilio-signature': signature };
    const received = request({ url, body, headers, ...change });
    return isGenuine({ twilio: { secret: '{secret.auth_token}' } }, { auth_token: '12345' }, received);
  };

  it('covers the URL, which has the hash of the body', () => {
    expect(isAccepted()).toBe(true);
    expect(isAccepted({ headers: {} })).toBe(false);
    expect(isAccepted({}, `${url}&x`)).toBe(false);
    expect(isAccepted({ url: `${url}&x` })).toBe(false);
  });

  it('is refused for another body, no body and another hash', () => {
    expect(isAccepted({ body: Buffer.from(body.toString().replace('delivered', 'undelivered')) })).toBe(
      false,
    );
    expect(isAccepted({ body: Buffer.alloc(0) })).toBe(false);
    for (const other of ['', hash.slice(2), `${hash}00`, 'no hash', createHash('sha256').digest('hex')]) {
      const changed = url.replace(hash, encodeURIComponent(other));
      expect(isAccepted({ url: changed }, changed)).toBe(false);
    }
  });

  it('is refused without the hash in the URL, and for another method', () => {
    const bare = 'https://sms.example/in/twilio/token';
    expect(isAccepted({ url: bare }, bare)).toBe(false);
    expect(isAccepted({ method: 'GET' })).toBe(false);
  });
});

describe('Basic credentials', () => {
  const settings: InboundSettings = { basic: { username: 'me', password: '{secret.password}' } };
  const given = (authorization: string) =>
    isGenuine(settings, { password: 'pa:ss' }, request({ headers: { authorization } }));
  const encoded = (text: string) => Buffer.from(text).toString('base64');

  it('are compared as a whole', () => {
    expect(given(`Basic ${encoded('me:pa:ss')}`)).toBe(true);
    expect(given(`basic ${encoded('me:pa:ss')}`)).toBe(true);
    for (const text of ['me:pass', 'me:', 'you:pa:ss', ''])
      expect(given(`Basic ${encoded(text)}`)).toBe(false);
    expect(given(`Bearer ${encoded('me:pa:ss')}`)).toBe(false);
    expect(given('')).toBe(false);
  });
});

it('requires every check that the settings name', () => {
  const settings: InboundSettings = {
    basic: { username: 'me', password: '{secret.password}' },
    hmac: { header: 'X-Signature', algorithm: 'sha256', secret: '{secret.password}' },
  };
  const authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`;
  const body = Buffer.from('{}');
  const signature = createHmac('sha256', 'secret').update(body).digest('hex');
  const check = (headers: Record<string, string>) =>
    isGenuine(settings, { password: 'secret' }, request({ headers, body }));
  expect(check({ authorization, 'x-signature': signature })).toBe(true);
  expect(check({ authorization })).toBe(false);
  expect(check({ 'x-signature': signature })).toBe(false);
  expect(isGenuine({}, {}, request({}))).toBe(true);
});

it('refuses an unknown check, which a later version may have added', () => {
  expect(isGenuine({}, {}, request({}))).toBe(true);
  expect(isGenuine({ later: { secret: '{secret.key}' } } as InboundSettings, {}, request({}))).toBe(false);
});
