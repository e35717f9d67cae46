import { describe, expect, it } from '@jest/globals';
import { presets } from '../presets/presets.js';
import { buildRequest } from './build-request.js';
import { findHttpFaults } from './http-settings.js';

const valid = {
  request: {
    url: 'https://sms.example/send',
    json: { to: '{recipient}', body: '{text}', key: '{secret.key}' },
  },
  answer: { reference: '/id' },
};
const faultsOf = (change: object, secrets = ['key']) => findHttpFaults({ ...valid, ...change }, secrets);

describe('settings of an HTTP provider', () => {
  it('are valid in every preset', () => {
    for (const [name, { settings }] of Object.entries(presets))
      expect([name, findHttpFaults(settings, ['api_key'])]).toEqual([name, []]);
    expect(faultsOf({})).toEqual([]);
  });

  it('are refused with all faults at once', () => {
    const request = {
      url: 'https://{sender}.example/',
      form: {},
      text: '{txt} {secret.token}',
      method: 'GET',
    };
    const answer = { accepted: ['0'], reference: { match: '(' } };
    expect(faultsOf({ request, answer, outcomes: [{ outcome: 'failed' }] })).toEqual([
      expect.stringContaining('{txt}, which is not a placeholder'),
      expect.stringContaining('the secret token is not given'),
      expect.stringContaining('the secret key is given, but'),
      expect.stringContaining('form and text: give one body'),
      expect.stringContaining('GET cannot have a body'),
      expect.stringContaining('must not have a placeholder in its host'),
      expect.stringContaining('does not use {text}'),
      expect.stringContaining('does not use {recipient}'),
      expect.stringContaining('answer.reference.match'),
      expect.stringContaining('answer.code is missing'),
      expect.stringContaining('outcomes.0 has no condition'),
    ]);
    expect(faultsOf({ answr: {}, timeoutMs: 5, outcomes: [{ status: 99, outcome: 'fine' }] })).toHaveLength(
      4,
    );
  });

  const requestFaults = (change: object) => faultsOf({ request: { ...valid.request, ...change } });

  it('have secrets only as placeholders', () => {
    const must = (place: string) => [expect.stringContaining(`${place} must contain {secret.NAME}`)];
    expect(requestFaults({ bearer: 'abc' })).toEqual(must('bearer'));
    expect(requestFaults({ basic: { username: 'me', password: 'abc' } })).toEqual(must('basic.password'));
    expect(requestFaults({ basic: { username: 'me', password: '{secret.key}' } })).toEqual([]);
    for (const name of ['Authorization', 'authorization'])
      expect(requestFaults({ headers: { [name]: 'Bearer abc' } })).toEqual(must('headers.authorization'));
    expect(requestFaults({ headers: { Authorization: 'Key {secret.key}' } })).toEqual([]);
  });

  it('have a URL that keeps secrets and the path of the request safe', () => {
    const urlFaults = (url: string, allowPrivate = false) =>
      faultsOf({ request: { ...valid.request, url }, allowPrivate });
    expect(urlFaults('http://sms.example/')).toEqual([expect.stringContaining('https://')]);
    expect(urlFaults('http://10.0.0.1/', true)).toEqual([]);
    expect(urlFaults('https://me:pass@sms.example/')).toEqual([
      expect.stringContaining('must not contain credentials'),
    ]);
    expect(urlFaults('https://sms.example/send/{text}/now')).toEqual([
      expect.stringContaining('{text} only in its query'),
    ]);
    expect(urlFaults('https://sms.example/{sender}')).toHaveLength(1);
    expect(urlFaults('https://sms.example/{reference}/{recipient_digits}?text={text}')).toEqual([]);
  });

  it.each(['{Sender}', '{secret.KEY}', '{ sender }', '${TOKEN}'])('cannot contain %s', (value) => {
    expect(requestFaults({ headers: { 'x-from': value } })).toHaveLength(1);
  });

  it.each([
    ...['Transfer-Encoding', 'Keep-Alive', 'Upgrade', 'Expect'],
    ...['Content-Length', 'Host', 'Connection', 'Accept-Encoding'],
  ])('cannot set the header %s', (name) => {
    expect(requestFaults({ headers: { [name]: 'x' } })).toEqual([
      expect.stringContaining(`must not set ${name}`),
    ]);
  });

  it('have patterns that end in time', () => {
    const codeFaults = (match: string) => faultsOf({ answer: { code: { match } } });
    for (const match of ['^(\\w+)', '^OK(?: now)? (\\S+)', '([(+)*]+)\\)+'])
      expect([match, codeFaults(match)]).toEqual([match, []]);
    for (const match of ['^(\\w+)+$', '(a|a)*$', '(?:x+){2,}(y)', 'no group', `(${'a'.repeat(300)})`])
      expect([match, codeFaults(match).length]).toEqual([match, 1]);
  });

  it('have a text body only if it is plain text', () => {
    const textFaults = (type: string) =>
      faultsOf(
        {
          request: {
            url: 'https://sms.example/',
            headers: { 'Content-Type': type },
            text: '<sms to="{recipient}">{text}</sms>',
          },
        },
        [],
      );
    expect(textFaults('text/plain; charset=utf-8')).toEqual([]);
    for (const type of ['text/xml', 'application/json', 'text/plainly'])
      expect(textFaults(type)).toEqual([expect.stringContaining('only for the content type text/plain')]);
  });

  it('never quote a value, which may be a secret', () => {
    const request = { ...valid.request, url: 'ftp://s3cr3t', headers: { 'a b': 's3cr3t\n' } };
    expect(faultsOf({ request, timeoutMs: 's3cr3t' }).join(' ')).not.toContain('s3cr3t');
    const url = 'http://me:s3cr3t@sms.example/';
    const plain = { url, bearer: 's3cr3t', headers: { Authorization: 's3cr3t', 'a b': 's3cr3t\n' } };
    expect(requestFaults(plain)).toHaveLength(5);
    expect(requestFaults(plain).join(' ')).not.toContain('s3cr3t');
  });
});

describe('the request of an HTTP provider', () => {
  const message = {
    ...{ recipient: '+2348031234567', recipient_digits: '2348031234567' },
    ...{ sender: 'A&B', text: 'Hi "{sender}" ü', reference: 'r1' },
  };

  it('encodes values for the place where they stand, and never expands them again', () => {
    const url = 'https://sms.example/?to={recipient}&from={sender}';
    expect(buildRequest({ url, json: { a: ['{text}', 1] } }, message, {})).toMatchObject({
      method: 'POST',
      url: 'https://sms.example/?to=%2B2348031234567&from=A%26B',
      body: JSON.stringify({ a: ['Hi "{sender}" ü', 1] }),
    });
    expect(buildRequest({ url, form: { t: '{text}', f: '{sender}' } }, message, {})).toMatchObject({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 't=Hi+%22%7Bsender%7D%22+%C3%BC&f=A%26B',
    });
  });

  it.each(['&to=1#x?/../..', '\r\nHost: evil', '%2e%2e/', '{secret.key}', '\ud800', '"}, "admin": true, {"'])(
    'carries the text %j as one value',
    (text) => {
      const built = (request: object) =>
        buildRequest({ url: 'https://sms.example/a/', ...request }, { ...message, text }, { key: 's3cr3t' });
      const { origin, pathname, searchParams, hash } = new URL(
        built({ url: 'https://sms.example/a/?text={text}&key={secret.key}' }).url,
      );
      expect([origin, pathname, hash]).toEqual(['https://sms.example', '/a/', '']);
      expect([...searchParams]).toEqual([
        ['text', text.toWellFormed()],
        ['key', 's3cr3t'],
      ]);
      expect([...new URLSearchParams(built({ form: { t: '{text}', n: '1' } }).body)]).toEqual([
        ['t', text.toWellFormed()],
        ['n', '1'],
      ]);
      expect(JSON.parse(built({ json: { t: '{text}' } }).body ?? '')).toEqual({ t: text });
      expect(built({ text: 'to 1: {text}' }).body).toBe(`to 1: ${text}`);
    },
  );

  it('authenticates with Basic, Bearer or a header', () => {
    const headersOf = (request: object) =>
      buildRequest({ url: 'https://sms.example/', ...request }, message, { id: 'me', key: 'k3y' }).headers;
    const basic = { username: '{secret.id}', password: '{secret.key}' };
    expect(headersOf({ basic })).toMatchObject({ authorization: `Basic ${btoa('me:k3y')}` });
    expect(headersOf({ bearer: '{secret.key}' })).toMatchObject({ authorization: 'Bearer k3y' });
    expect(headersOf({ headers: { 'X-Key': '{secret.key}' } })).toMatchObject({ 'x-key': 'k3y' });
  });

  it('never has line breaks in a header', () => {
    const headers = { 'x-sender': '{sender}' };
    const { headers: built } = buildRequest(
      { url: 'https://sms.example/', headers },
      { ...message, sender: 'a\r\nb' },
      {},
    );
    expect(built['x-sender']).toBe('a??b');
  });
});
