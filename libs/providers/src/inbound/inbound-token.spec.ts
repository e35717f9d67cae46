import { newId } from '@gangan/protocol';
import { masterSealer } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { newInboundToken, openTokens, reportAddress, sealTokens } from './inbound-token.js';

describe('the token of a provider', () => {
  const sealer = masterSealer([Buffer.alloc(32, 1).toString('base64')]);
  const owner = { id: newId(), organisationId: null, domains: ['message'] } as const;

  it('is sealed with the one before it, which is accepted for a while', () => {
    const [token, former] = [newInboundToken(), { token: newInboundToken(), until: new Date(2_000) }];
    const sealed = sealTokens(sealer, owner, { token, former });
    expect(openTokens(sealer, owner, sealed, 1_999)).toEqual({ token, former });
    expect(openTokens(sealer, owner, sealed, 2_000)).toEqual({ token });
    expect(openTokens(sealer, owner, sealTokens(sealer, owner, { token }))).toEqual({ token });
  });
});

describe('the address for reports', () => {
  const addressAt = (publicUrl: string | undefined, allowPrivate = false) =>
    reportAddress('twilio', { allowPrivate }, 'token', publicUrl);

  it('begins with the public address of the gateway', () => {
    const expected = { url: 'https://sms.example/base/in/twilio/token', token: 'token' };
    for (const url of ['https://sms.example/base', 'https://sms.example/base/'])
      expect(addressAt(url)).toEqual(expected);
  });

  it.each([
    ...[undefined, 'http://localhost:3000', 'https://api.localhost/', 'http://127.0.0.1:3000'],
    ...['http://10.0.0.1', 'http://[::1]:3000'],
  ])('needs a PUBLIC_URL that the provider can reach, not %s', (publicUrl) => {
    expect(() => addressAt(publicUrl)).toThrow(/\{report_url\}.*set PUBLIC_URL to the public address/);
  });

  it('may be private if the provider may be', () => {
    expect(addressAt('http://localhost:3000', true).url).toBe('http://localhost:3000/in/twilio/token');
    expect(() => addressAt(undefined, true)).toThrow('PUBLIC_URL is not set');
  });
});
