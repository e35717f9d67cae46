import { describe, expect, it } from '@jest/globals';
import type { InboundSettings } from './inbound-settings.js';
import type { ReceivedRequest } from './received-request.js';
import { findForgery } from './verify-request.js';

const url = 'https://sms.example/in/plivo/token/0190';
const fields = {
  MessageUUID: 'b48d95dc-e3ac-11eb-a9c2-0242ac110004',
  Status: 'delivered',
  From: 'Acme',
  To: '2348031234567',
};
/** Computed with Python as `plivo.utils.signature_v3` does, with the nonce 12345 and the token my_auth_token. */
const signatures = {
  fields: 'mX8vQFyDS2sXSzLg+K/Vo9A0UZfAFLLl8aHIIyaG1XM=',
  queryAndFields: 'Vs+fP7750SoHi3G5ItKfc5VRjELhnyxFMVzlE/ETa4A=',
  empty: 'PdCMXBVorOCEIEBy4FPpBTwJ5KTmdCYIAO+wPp5Nv7c=',
  query: 'K480OnzEFOZjEQGIRyBN7Y7B9XbBPOtWccqAUdijG9A=',
};

const body = (given: Record<string, string>): Buffer => Buffer.from(new URLSearchParams(given).toString());
const signed = (signature: string, change: Partial<ReceivedRequest> = {}, name = 'v3'): ReceivedRequest => ({
  method: 'POST',
  url,
  headers: {
    [`x-plivo-signature-${name}`]: signature,
    [`x-plivo-signature-${name.slice(-2)}-nonce`]: '12345',
  },
  body: body(fields),
  ...change,
});
const faultOf = (request: ReceivedRequest, version?: 'v2' | 'v3', token = 'my_auth_token') => {
  const settings: InboundSettings = { plivo: { secret: '{secret.auth_token}', ...(version && { version }) } };
  return findForgery(settings, { auth_token: token }, request);
};

describe('the signature of Plivo, version 3', () => {
  it('covers the address, the sorted query and the sorted fields', () => {
    const get = { method: 'GET', body: Buffer.alloc(0) };
    for (const request of [
      signed(signatures.fields),
      signed(signatures.queryAndFields, { url: `${url}?b=2&a=1%20x` }),
      signed(signatures.empty, { body: Buffer.alloc(0) }),
      signed(signatures.query, { ...get, url: `${url}?Status=delivered&MessageUUID=m1` }),
    ])
      expect(faultOf(request)).toBeUndefined();
  });

  it('may be one of several, with the token of the main account', () => {
    expect(faultOf(signed(`AAAA,${signatures.fields}`))).toBeUndefined();
    expect(faultOf(signed(signatures.fields, {}, 'ma-v3'))).toBeUndefined();
  });

  it('is refused for another address, other fields, another nonce or token', () => {
    const { headers } = signed(signatures.fields);
    for (const change of [
      { url: url.replace('0190', '0191') },
      { url: `${url}?x` },
      { body: body({ ...fields, Status: 'failed' }) },
      { body: Buffer.concat([body(fields), Buffer.from('&To=2348031234567')]) },
      { headers: { ...headers, 'x-plivo-signature-v3-nonce': '12346' } },
      { method: 'GET' },
    ])
      expect(faultOf(signed(signatures.fields, change))).toMatch(/does not match|only a POST/);
    expect(faultOf(signed(signatures.fields), 'v3', 'other')).toMatch(/does not match.*PUBLIC_URL/);
    expect(faultOf(signed(''))).toBe('the header X-Plivo-Signature-V3 is missing');
    expect(faultOf(signed(signatures.fields, { headers: {} }))).toMatch(/missing/);
    expect(faultOf(signed(signatures.fields), 'v3', '')).toMatch(/secret.*not given/);
  });
});

/** The example of the tests of Plivo's SDK for Node.js. */
describe('the signature of Plivo, version 2', () => {
  const signature = 'ehV3IKhLysWBxC1sy8INm0qGoQYdYsHwuoKjsX7FsXc=';
  const request = signed(signature, { url: 'https://answer.url' }, 'v2');

  it('covers only the address, so it counts only if the settings say so', () => {
    expect(faultOf(request, 'v2')).toBeUndefined();
    expect(faultOf({ ...request, url: 'https://answer.url?x=1' }, 'v2')).toBeUndefined();
    expect(faultOf({ ...request, url: 'https://answer.url/1' }, 'v2')).toMatch(/does not match/);
    expect(faultOf(request)).toMatch(/does not cover its fields.*inbound\.plivo\.version/);
  });
});
