import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { InboundSettings } from './inbound-settings.js';
import type { ReceivedRequest } from './received-request.js';
import { findForgery } from './verify-request.js';

const isGenuine = (...given: Parameters<typeof findForgery>): boolean => findForgery(...given) === undefined;

/** https://developer.vonage.com/en/getting-started/concepts/signing-messages */
describe('the signature of Vonage', () => {
  const receipt = {
    msisdn: '2348031234567',
    to: 'Acme',
    'network-code': '62130',
    messageId: '0A1',
    price: '0.0333',
    status: 'delivered',
    scts: '2011171030',
    'err-code': '0',
    'api-key': 'abcd1234',
    'client-ref': 'a=b&c',
    'message-timestamp': '2026-11-17 10:30:00',
    timestamp: '1794911400',
    nonce: '1b2c',
  };
  // Computed with Python's hashlib and hmac.
  const signatures = {
    md5hash: 'd184f95b57007a8c2c3e3e3ee5929e52',
    md5: '5edbe73170292cf35dfd0eb60be3fa54',
    sha1: 'c76fc13e395d74b823c4e7ed8621e28f5d6d6b16',
    sha256: 'c6afa78cf9b24dbe59e915e2d05c6242d0e52c018a810d75cab93c8398a5c424',
    sha512:
      '0500f2268355a422c4aeaada0e91424a63f680b1b69bf70f4c4ec7d33bcb9211dd5bd38a66acc393a9b57f09bc728a1e5ee97c2ac3dfa8f975dc68c466430407',
  } as const;
  type Algorithm = keyof typeof signatures;
  const sentAt = 1_794_911_400_000;
  const url = 'https://sms.example/in/vonage/token';
  const formType = 'application/x-www-form-urlencoded; charset=utf-8';

  beforeEach(() => {
    jest.useFakeTimers({ now: sentAt });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const signed = (change: object = {}, algorithm: Algorithm = 'sha256'): object => ({
    ...receipt,
    sig: signatures[algorithm],
    ...change,
  });
  const encoded = (fields: object): string =>
    new URLSearchParams(fields as Record<string, string>).toString();
  const json = (fields: object): ReceivedRequest => ({
    method: 'POST',
    url,
    headers: {},
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(fields)),
  });
  const form = (body: string): ReceivedRequest => ({
    method: 'POST',
    url,
    headers: {},
    contentType: formType,
    body: Buffer.from(body),
  });
  const query = (fields: object): ReceivedRequest => ({
    method: 'GET',
    url: `${url}?${encoded(fields)}`,
    headers: {},
    body: Buffer.alloc(0),
  });
  const isAccepted = (
    request: ReceivedRequest,
    algorithm: Algorithm = 'sha256',
    key = 'signature secret',
  ) => {
    const settings: InboundSettings = { vonage: { algorithm, secret: '{secret.key}' } };
    return isGenuine(settings, { key }, request);
  };

  it.each(Object.keys(signatures) as Algorithm[])('with %s covers JSON, a form and a query', (algorithm) => {
    const fields = signed({}, algorithm);
    for (const request of [json(fields), form(encoded(fields)), query(fields)]) {
      expect(isAccepted(request, algorithm)).toBe(true);
      expect(isAccepted(request, algorithm, 'another secret')).toBe(false);
      expect(isAccepted(request, algorithm, '')).toBe(false);
      for (const other of Object.keys(signatures) as Algorithm[])
        expect(isAccepted(request, other)).toBe(other === algorithm);
    }
  });

  it('may be in upper case, and numbers need no quotes', () => {
    expect(isAccepted(json(signed({ sig: signatures.sha256.toUpperCase(), timestamp: 1_794_911_400 })))).toBe(
      true,
    );
    expect(isAccepted(json(signed({ unused: null })))).toBe(true);
  });

  it.each([
    ['another status', { status: 'failed' }],
    ['another reference', { messageId: '0A2' }],
    ['a further parameter', { extra: '1' }],
    ['a further empty parameter', { extra: '' }],
    ['another time', { timestamp: '1794911401' }],
    ['no signature', { sig: '' }],
    ['a part of the signature', { sig: signatures.sha256.slice(0, 32) }],
    ['no time', { timestamp: '' }],
    ['a time that is not a number', { timestamp: 'now' }],
  ])('is refused with %s', (_, change) => {
    const fields = signed(change);
    for (const request of [json(fields), form(encoded(fields)), query(fields)])
      expect(isAccepted(request)).toBe(false);
  });

  it('is refused if it is missing or covers other fields than those that are read', () => {
    const genuine = encoded(signed());
    expect(isAccepted(json(receipt))).toBe(false);
    expect(isAccepted(json([]))).toBe(false);
    expect(isAccepted(json(signed({ nested: { status: 'failed' } })))).toBe(false);
    expect(isAccepted({ ...json({}), body: Buffer.from('{"sig"') })).toBe(false);
    expect(isAccepted({ ...form(''), url })).toBe(false);
    expect(isAccepted(form(`status=failed&${genuine}`))).toBe(false);
    expect(isAccepted(form(`${genuine}&status=failed`))).toBe(false);
    // The body is read, and the query signed.
    expect(isAccepted({ ...query(signed()), method: 'POST', body: Buffer.from('{"status":"failed"}') })).toBe(
      false,
    );
    // A form that is announced as JSON, and JSON as a form.
    expect(isAccepted({ ...form(genuine), contentType: 'application/json' })).toBe(false);
    expect(isAccepted({ ...json(signed()), contentType: formType })).toBe(false);
  });

  it('is accepted as long as Vonage may retry a report, not later and not in the future', () => {
    const acceptedAfter = (hours: number): boolean => {
      jest.useFakeTimers({ now: sentAt + hours * 3_600_000 });
      return isAccepted(json(signed()));
    };
    expect([0, 24, 26, -0.05, -0.1].map(acceptedAfter)).toEqual([true, true, false, true, false]);
  });
});
