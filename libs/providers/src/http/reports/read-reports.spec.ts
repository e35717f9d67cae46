import { describe, expect, it } from '@jest/globals';
import { findHttpFaults } from '../http-settings.js';
import { documentOf, type InboundRequest } from '../inbound-document.js';
import { readReports as readFrom } from './read-reports.js';
import type { ReportSettings } from './report-settings.js';

const settings: ReportSettings = {
  reference: '/id',
  ownReference: '/ref',
  status: '/status',
  code: '/err',
  states: [
    { status: ['DELIVRD'], state: 'delivered' },
    { status: ['ENROUTE', 'ACCEPTD'], state: 'sent' },
    { status: ['UNDELIV'], code: ['27'], state: 'undelivered', reason: 'absent' },
    { status: ['UNDELIV'], state: 'undelivered' },
    { text: 'expire', state: 'expired' },
  ],
};
const readReports = (own: ReportSettings, request: InboundRequest) => readFrom(own, documentOf(request));
const json = (value: unknown): InboundRequest => ({
  query: 'ignored=1',
  contentType: 'application/json; charset=utf-8',
  body: typeof value === 'string' ? value : JSON.stringify(value),
});
const form = (body: string): InboundRequest => ({
  query: '',
  contentType: 'application/x-www-form-urlencoded',
  body,
});

describe('the reports of a request', () => {
  it('are read from JSON, a form and a query alike', () => {
    const read = { reports: [{ providerReference: 'a+1', state: 'delivered' }], faults: [] };
    expect(readReports(settings, json({ id: 'a+1', status: 'delivrd ' }))).toEqual(read);
    expect(readReports(settings, form('id=a%2B1&status=DELIVRD&status=UNDELIV'))).toEqual(read);
    expect(readReports(settings, { query: 'id=a%2B1&status=DELIVRD', body: '' })).toEqual(read);
  });

  it('are read from a list, each on its own', () => {
    const results = [
      { id: '1', status: 'DELIVRD' },
      { id: '2', status: 'UNDELIV', err: 27 },
      { id: '3', status: 'UNDELIV', err: '99' },
      { id: '4', status: 'Expired at SMSC' },
      { ref: 'ours', status: 'enroute' },
      { id: '5', status: 'LOST', err: 3 },
      { status: 'DELIVRD' },
      { id: '6' },
      7,
    ];
    const expected = {
      reports: [
        { providerReference: '1', state: 'delivered' },
        { providerReference: '2', state: 'undelivered', reason: 'absent' },
        { providerReference: '3', state: 'undelivered', reason: 'provider_error' },
        { providerReference: '4', state: 'expired', reason: 'validity_ended' },
        { reference: 'ours', state: 'sent' },
      ],
      faults: [
        'no rule lists the status "LOST" with code "3"',
        'a report has no reference',
        'a report has no status',
      ],
    };
    expect(readReports({ ...settings, list: '/a/results' }, json({ a: { results } }))).toEqual(expected);
    expect(readReports({ ...settings, list: '' }, json(results))).toEqual(expected);
  });

  it('may have several codes, and a rule needs to match one', () => {
    const several = { ...settings, code: ['/err', '/error/name'] };
    const read = (error: object) => readReports(several, json({ id: '1', status: 'UNDELIV', ...error }));
    const absent = [{ providerReference: '1', state: 'undelivered', reason: 'absent' }];
    expect(read({ err: '27' }).reports).toEqual(absent);
    expect(read({ err: '9', error: { name: '27' } }).reports).toEqual(absent);
    expect(read({ err: '9' }).reports).toMatchObject([{ reason: 'provider_error' }]);
    expect(read({ status: 'LOST', err: '9', error: { name: 'x' } }).faults).toEqual([
      'no rule lists the status "LOST" with code "9", "x"',
    ]);
  });

  it('are not rounded if their reference is a long number', () => {
    const body =
      '{"id":3017544054459083819856413,"status":"DELIVRD","n":"a \\"1234567890123456789\\"","f":1.5e3}';
    expect(readReports(settings, json(body)).reports).toEqual([
      { providerReference: '3017544054459083819856413', state: 'delivered' },
    ]);
  });

  it.each([
    ['<html>', undefined, 'the body is not JSON'],
    ['{"id":"1"}', '/results', 'there is no list at "/results"'],
    ['[1]', '', 'a report has no reference'],
    [JSON.stringify(Array.from({ length: 20_001 }, () => ({}))), '', 'it has more than 20000 reports: 20001'],
  ])('in %.20s with the list %s are not understood', (body, list, fault) => {
    const changed = list === undefined ? settings : { ...settings, list };
    expect(readReports(changed, json(body))).toEqual({ reports: [], faults: [fault] });
  });

  it('show an unknown status without phone numbers and control characters', () => {
    const status = `to \u001b[31m2348031234567 ${'x'.repeat(100)}`;
    const { faults } = readReports(settings, json({ id: '1', status }));
    expect(faults[0]).toMatch(/^no rule lists the status "to {2}\[31m… x+"$/);
  });
});

describe('settings of reports', () => {
  const request = { url: 'https://sms.example/', json: { to: '{recipient}', text: '{text}' } };
  const faultsOf = (change: object, secrets: string[] = []) =>
    findHttpFaults({ request, answer: {}, ...change }, secrets);

  it('are refused with all faults at once', () => {
    const reports = {
      status: '/s',
      states: [
        { state: 'sent', reason: 'x' },
        { code: ['1'], state: 'delivered' },
      ],
    };
    const inbound = {
      hmac: { header: 'X-Signature', algorithm: 'sha256', secret: 'plain' },
      basic: { username: '{secret.user}', password: '{secret.password}' },
      addresses: ['10.0.0.0/8', '10.0.0.0/33', 'example.com'],
    };
    expect(faultsOf({ reports, inbound })).toEqual([
      expect.stringContaining('settings.reports has no reference'),
      expect.stringContaining('settings.reports.states.0 has no condition'),
      expect.stringContaining('settings.reports.code is missing'),
      expect.stringContaining('settings.reports.states.0 has a reason'),
      expect.stringContaining('settings.inbound.hmac.secret must be {secret.NAME}'),
      expect.stringContaining('the secret password is not given'),
      expect.stringContaining('basic.username cannot contain placeholders'),
      'settings.inbound.addresses.1 is not an address or a range',
      'settings.inbound.addresses.2 is not an address or a range',
    ]);
    expect(faultsOf({ reports: { ...reports, list: 'x', status: 'y', states: [] } })).toHaveLength(3);
  });

  it('may use secrets that the request does not use', () => {
    const inbound = { hmac: { header: 'X-Signature', algorithm: 'sha512', secret: '{secret.key}' } };
    expect(faultsOf({ inbound }, ['key'])).toEqual([]);
    const vonage = { algorithm: 'md5hash', secret: '{secret.key}' };
    expect(faultsOf({ inbound: { vonage } }, ['key'])).toEqual([]);
    expect(faultsOf({ inbound: { vonage: { ...vonage, algorithm: 'md4' } } }, ['key'])).toHaveLength(1);
    expect(faultsOf({ inbound: { vonage } }, [])).toEqual([expect.stringContaining('key is not given')]);
    expect(faultsOf({}, ['key'])).toEqual([expect.stringContaining('the secret key is given, but')]);
  });
});
