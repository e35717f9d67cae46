import { describe, expect, it } from '@jest/globals';
import { findLookupFaults } from './lookup-settings.js';

const usable = {
  request: { method: 'GET', url: 'https://hlr.example/{phone_digits}', bearer: '{secret.key}' },
  finding: { operator: { pointer: '/operator' } },
};

describe('the settings of a lookup provider', () => {
  it('are accepted if they are valid', () => {
    expect(findLookupFaults(usable, ['key'])).toEqual([]);
    const full = {
      request: {
        url: 'https://hlr.example/lookup',
        headers: { 'X-Key': '{secret.key}', 'X-Time': '{timestamp}' },
        hmac: { header: 'X-Signature', algorithm: 'sha256', secret: '{secret.sign}', of: '/lookup{body}' },
        json: { number: '{phone}', national: '{phone_national}', country: '{country}' },
      },
      answer: { code: ['/code', '/error/code'], accepted: ['0'], message: '/message' },
      outcomes: [
        { code: ['12'], outcome: 'not_found' },
        { text: 'no credit', outcome: 'account' },
      ],
      finding: {
        operator: [{ pointer: '/mccmnc', values: { '62130': 'MTN', '*': null } }, { pointer: '/name' }],
        lineType: { pointer: '/type', values: { FIXED: 'landline' } },
        roaming: { pointer: '/roaming', values: { yes: true } },
      },
      timeoutMs: 1_000,
    };
    expect(findLookupFaults(full, ['key', 'sign'])).toEqual([]);
  });

  it.each<[string, object, string]>([
    [
      'a message',
      { request: { ...usable.request, json: { to: '{recipient}' }, method: 'POST' } },
      '{recipient}',
    ],
    ['a batch', { request: { ...usable.request, batch: { size: 2, separator: ',' } } }, 'batch'],
    [
      'no number',
      { request: { url: 'https://hlr.example/', bearer: '{secret.key}' } },
      'does not use {phone}',
    ],
    ['no field', { finding: {} }, 'settings.finding must NOT have fewer than 1'],
    ['an unknown field', { finding: { colour: { pointer: '/x' } } }, 'colour'],
    ['an unknown line type', { finding: { lineType: { pointer: '/x', values: { A: 'fax' } } } }, 'lineType'],
    [
      'a string for a flag',
      { finding: { dnd: { pointer: '/x', values: { Y: 'yes' } } } },
      'settings.finding.dnd',
    ],
    ['an unknown outcome', { outcomes: [{ status: 404, outcome: 'gone' }] }, 'settings.outcomes.0.outcome'],
    ['codes without a place', { outcomes: [{ code: ['1'], outcome: 'account' }] }, 'answer.code is missing'],
    ['a bad pattern', { answer: { code: ['/a', { match: '(?=a)(b)' }] } }, 'answer.code.match'],
    ['reports', { reports: {} }, 'reports'],
    [
      'a secret in plain text',
      { request: { ...usable.request, bearer: 'abc' } },
      'must contain {secret.NAME}',
    ],
    ['plain HTTP', { request: { ...usable.request, url: 'http://hlr.example/{phone}' } }, 'https://'],
  ])('are refused for %s', (_, change, fault) => {
    const faults = findLookupFaults({ ...usable, ...change }, ['key']);
    expect(faults.join('; ')).toContain(fault);
  });

  it('are refused with a secret that they do not use', () => {
    expect(findLookupFaults(usable, ['key', 'other'])).toEqual([
      'the secret other is given, but the settings do not use {secret.other}',
    ]);
  });
});
