import type { LookupSettings } from '@gangan/providers';
import { describe, expect, it } from '@jest/globals';
import { LookupProvider } from './lookup-provider.js';

const settings: LookupSettings = {
  request: { url: 'https://hlr.example.com/{phone_digits}', bearer: '{secret.key}' },
  finding: { operator: { pointer: '/operator' }, dnd: { pointer: '/dnd' } },
};
const caller = { call: () => Promise.reject(new Error('not called')) };
const providerWith = (more: Partial<LookupSettings> = {}, name = 'hlr') =>
  new LookupProvider({ name, organisationId: null }, { ...settings, ...more }, caller);

describe('a cached finding', () => {
  it.each<[string, Partial<LookupSettings>]>([
    ['request', { request: { ...settings.request, url: 'https://hlr.example.com/v2/{phone_digits}' } }],
    ['answer', { answer: { code: '/code', accepted: ['0'] } }],
    ['outcomes', { outcomes: [{ status: 404, outcome: 'not_found' }] }],
    ['finding', { finding: { operator: { pointer: '/name' } } }],
  ])('does not count after a change of the %s', (_, change) => {
    expect(providerWith(change).identity).not.toBe(providerWith().identity);
  });

  it('counts only for its provider, whatever the timeout is', () => {
    expect(providerWith({ timeoutMs: 100 }).identity).toBe(providerWith().identity);
    expect(providerWith({}, 'other').identity).not.toBe(providerWith().identity);
    expect([...providerWith().fields]).toEqual(['operator', 'dnd']);
  });
});
