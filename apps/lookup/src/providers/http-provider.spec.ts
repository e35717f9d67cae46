import { parsePhone } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { ConfiguredProvider } from './live-provider.js';
import { HttpProvider } from './http-provider.js';
import type { ProviderFile } from './provider-file.js';

const file: ProviderFile = {
  name: 'hlr',
  url: 'https://hlr.example.com/{digits}',
  headers: { authorization: 'Bearer {secret}' },
  answer: { operator: { pointer: '/operator' } },
};
const identityOf = (more: Partial<ProviderFile> = {}, secret = 'a') =>
  new HttpProvider({ ...file, ...more }, secret).identity;

describe('a cached finding', () => {
  it.each<[string, Partial<ProviderFile>]>([
    ['url', { url: 'https://hlr.example.com/v2/{digits}' }],
    ['method', { method: 'POST' }],
    ['body', { method: 'POST', body: { full: true } }],
    ['headers', { headers: { ...file.headers, 'x-product': 'full' } }],
    ['statuses of unknown numbers', { nothingKnown: [404] }],
    ['answer', { answer: { operator: { pointer: '/name' } } }],
  ])('does not count after a change of the %s', (_, change) => {
    expect(identityOf(change)).not.toBe(identityOf());
  });

  it('still counts after a change of the secret', () => {
    expect(identityOf({}, 'b')).toBe(identityOf());
    expect(identityOf({ method: 'GET', nothingKnown: [] })).toBe(identityOf());
  });
});

describe('a provider', () => {
  it('is closed when the worker stops', async () => {
    const provider = new HttpProvider({ ...file, url: 'http://127.0.0.1:9/{digits}' }, 'a');
    await new ConfiguredProvider(provider).onApplicationShutdown();
    const phone = parsePhone('08031234567');
    if (!phone) throw new Error('no phone');
    await expect(provider.find(phone, new AbortController().signal)).rejects.toThrow(/UND_ERR_DESTROYED/);
    await new ConfiguredProvider(undefined).onApplicationShutdown();
  });
});
