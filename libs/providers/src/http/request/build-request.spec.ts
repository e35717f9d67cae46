import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { groupMessages } from './batches.js';
import { buildRequest } from './build-request.js';
import type { MessageValues } from './placeholders.js';
import type { RequestSettings } from './request-settings.js';

const message: MessageValues = {
  recipient: '+2348031234567',
  recipient_digits: '2348031234567',
  sender: 'A&B',
  text: 'Hi "{sender}" ü',
  reference: 'r1',
};
const to = (recipient: string, more: Partial<MessageValues> = {}): MessageValues => ({
  ...message,
  recipient,
  recipient_digits: recipient.slice(1),
  reference: `r${recipient}`,
  ...more,
});
const build = (request: RequestSettings, messages = [message], secrets: Record<string, string> = {}) =>
  buildRequest(request, { messages, secrets });

describe('the request of an HTTP provider', () => {
  it('encodes values for their position, and never expands them again', () => {
    const url = 'https://sms.example/?to={recipient}&from={sender}';
    expect(build({ url, json: { a: ['{text}', 1] } })).toMatchObject({
      method: 'POST',
      url: 'https://sms.example/?to=%2B2348031234567&from=A%26B',
      body: JSON.stringify({ a: ['Hi "{sender}" ü', 1] }),
    });
    expect(build({ url, form: { t: '{text}', f: '{sender}' } })).toMatchObject({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 't=Hi+%22%7Bsender%7D%22+%C3%BC&f=A%26B',
    });
  });

  const hostile = [
    '&to=1#x?/../..',
    '\r\nHost: evil',
    '%2e%2e/',
    '{secret.key}',
    '\ud800',
    '"}, "admin": true, {"',
  ];
  const texts = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary' }));

  it('carries every text as one value', () => {
    const built = (text: string, request: object) =>
      build({ url: 'https://sms.example/a/', ...request }, [{ ...message, text }], { key: 's3cr3t' });
    fc.assert(
      fc.property(texts, (text) => {
        const { origin, pathname, searchParams, hash } = new URL(
          built(text, { url: 'https://sms.example/a/?text={text}&key={secret.key}' }).url,
        );
        expect([origin, pathname, hash]).toEqual(['https://sms.example', '/a/', '']);
        expect([...searchParams]).toEqual([
          ['text', text.toWellFormed()],
          ['key', 's3cr3t'],
        ]);
        expect([...new URLSearchParams(built(text, { form: { t: '{text}', n: '1' } }).body)]).toEqual([
          ['t', text.toWellFormed()],
          ['n', '1'],
        ]);
        expect(JSON.parse(built(text, { json: { t: '{text}' } }).body ?? '')).toEqual({ t: text });
        expect(built(text, { text: 'to 1: {text}' }).body).toBe(`to 1: ${text}`);
      }),
    );
  });

  it('carries every text of a batch as one value of its item', () => {
    const json = {
      from: '{sender}',
      list: [{ n: [{ to: '{recipient}' }], t: '{text}' }],
      other: ['{sender}'],
    };
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 5 }), (given) => {
        const messages = given.map((text, index) => to(`+23480${index}`, { text }));
        const { body = '' } = build(
          { url: 'https://sms.example/', json, batch: { size: 9, items: '/list' } },
          messages,
        );
        expect(JSON.parse(body)).toEqual({
          from: 'A&B',
          other: ['A&B'],
          list: messages.map(({ recipient, text }) => ({ n: [{ to: recipient }], t: text })),
        });
      }),
    );
  });

  it('has all recipients of a batch, with a separator', () => {
    const request = {
      url: 'https://sms.example/',
      batch: { size: 9, separator: ',' },
      form: { to: '{recipient}', digits: '{recipient_digits}', text: '{text}' },
    };
    expect([...new URLSearchParams(build(request, [to('+1'), to('+2')]).body)]).toEqual([
      ['to', '+1,+2'],
      ['digits', '1,2'],
      ['text', message.text],
    ]);
    const national = { ...request, form: { to: '{recipient_national}' } };
    expect(build(national, [to('+2348031234567'), to('+2348031234568')]).body).toBe(
      'to=8031234567%2C8031234568',
    );
  });

  it('may have the number in the national format, without the 0 that is dialled before it', () => {
    const toOf = (recipient: string) =>
      build({ url: 'https://sms.example/', text: '0{recipient_national}' }, [to(recipient)]).body;
    expect(['+2348031234567', '+447911123456', '+225', '+1'].map(toOf)).toEqual([
      '08031234567',
      '07911123456',
      '0225',
      '01',
    ]);
  });

  it('has an address for reports about each message', () => {
    const reportUrl = 'https://sms.example/in/p/token';
    const request = {
      url: 'https://carrier.example/?at={report_url}',
      json: { list: [{ to: '{recipient}', at: '{report_url}' }] },
      batch: { size: 9, items: '/list' },
    };
    const built = buildRequest(request, { messages: [to('+1'), to('+2')], secrets: {}, reportUrl });
    expect(JSON.parse(built.body ?? '')).toEqual({
      list: [
        { to: '+1', at: `${reportUrl}/r+1` },
        { to: '+2', at: `${reportUrl}/r+2` },
      ],
    });
    expect(built.url).toBe(`https://carrier.example/?at=${encodeURIComponent(`${reportUrl}/r+1`)}`);
  });

  it('names the encoding that the text needs', () => {
    const encodingOf = (text: string, encodings?: RequestSettings['encodings']) =>
      build({ url: 'https://sms.example/', text: '{encoding}', ...(encodings && { encodings }) }, [
        { ...message, text },
      ]).body;
    expect([encodingOf('Hello {€}'), encodingOf('Ẹ káàárọ̀')]).toEqual(['plain', 'unicode']);
    expect(encodingOf('Hello', { plain: 'text', unicode: 'ucs2' })).toBe('text');
    expect(encodingOf('Ẹ', { plain: 'text', unicode: 'ucs2' })).toBe('ucs2');
  });

  it('authenticates with Basic, Bearer, an access token or a header', () => {
    const headersOf = (request: object, token?: string) =>
      buildRequest({ url: 'https://sms.example/', ...request }, { secrets: { id: 'me', key: 'k3y' }, token })
        .headers;
    const basic = { username: '{secret.id}', password: '{secret.key}' };
    expect(headersOf({ basic })).toMatchObject({ authorization: `Basic ${btoa('me:k3y')}` });
    expect(headersOf({ bearer: '{secret.key}' })).toMatchObject({ authorization: 'Bearer k3y' });
    expect(headersOf({}, 'a token')).toMatchObject({ authorization: 'Bearer a token' });
    expect(headersOf({ headers: { 'X-Key': '{secret.key}' } })).toMatchObject({ 'x-key': 'k3y' });
  });

  it.each(['hex', 'base64'] as const)('is signed in %s over what the settings say', (encoding) => {
    const of = '{method}\n{path}\n{timestamp}\n{body}';
    const hmac = {
      header: 'X-Sign',
      algorithm: 'sha512',
      encoding,
      prefix: 'v1=',
      secret: '{secret.key}',
      of,
    } as const;
    const url = 'https://sms.example/a?from={sender}';
    const headers = { 'x-time': '{timestamp}' };
    const signed = build({ url, headers, json: { t: '{text}' }, hmac }, [message], { key: 'k3y' });
    const expected = createHmac('sha512', 'k3y')
      .update(`POST\n/a?from=A%26B\n${signed.headers['x-time']}\n${signed.body}`)
      .digest(encoding);
    expect(signed.headers['x-sign']).toBe(`v1=${expected}`);
  });

  it('signs the body by default', () => {
    const hmac = { header: 'X-Sign', algorithm: 'sha1', secret: '{secret.key}' } as const;
    const { headers, body = '' } = build(
      { url: 'https://sms.example/', form: { t: '{text}' }, hmac },
      [message],
      { key: 'k' },
    );
    expect(headers['x-sign']).toBe(createHmac('sha1', 'k').update(body).digest('hex'));
  });

  it('never has line breaks in a header', () => {
    const { headers } = build({ url: 'https://sms.example/', headers: { 'x-sender': '{sender}' } }, [
      { ...message, sender: 'a\r\nb' },
    ]);
    expect(headers['x-sender']).toBe('a??b');
  });
});

describe('the messages of one request', () => {
  const url = 'https://sms.example/';
  const joined = { url, form: { to: '{recipient}', text: '{text}', from: '{sender}' } };

  it('are limited to one unless the settings have batches', () => {
    expect(groupMessages(joined, [to('+1'), to('+2')])).toEqual([[0], [1]]);
  });

  it('have the same values outside of the repeated part', () => {
    const messages = [
      to('+1'),
      to('+2', { text: 'Other' }),
      to('+3'),
      to('+4', { sender: 'Other' }),
      to('+5'),
    ];
    expect(groupMessages({ ...joined, batch: { size: 2, separator: ',' } }, messages)).toEqual([
      [0, 2],
      [1],
      [3],
      [4],
    ]);
    const item = { to: '{recipient}', text: '{text}', from: '{sender}' };
    expect(groupMessages({ url, json: [item], batch: { size: 9, items: '' } }, messages)).toEqual([
      [0, 1, 2, 3, 4],
    ]);
    const json = { type: '{encoding}', list: [item] };
    const encodings = [to('+1'), to('+2', { text: 'Ẹ' }), to('+3')];
    expect(groupMessages({ url, json, batch: { size: 9, items: '/list' } }, encodings)).toEqual([
      [0, 2],
      [1],
    ]);
  });

  it('may have the same recipient if results have our references', () => {
    const request = { url, json: [{ to: '{recipient}' }], batch: { size: 9, items: '' } };
    const messages = [to('+1'), to('+1'), to('+2')];
    expect(groupMessages(request, messages)).toEqual([[0], [1, 2]]);
    expect(groupMessages(request, messages, true)).toEqual([[0, 1, 2]]);
  });

  it('have different recipients, and every message is in one request', () => {
    const batch = { size: 3, separator: ',' };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('+1', '+2', '+3', '+4', '+5'), fc.constantFrom('a', 'b'))),
        (given) => {
          const messages = given.map(([recipient, text]) => to(recipient, { text }));
          const groups = groupMessages({ ...joined, batch }, messages);
          expect(groups.flat().toSorted((one, other) => one - other)).toEqual(
            messages.map((_, index) => index),
          );
          for (const group of groups) {
            expect(group.length).toBeLessThanOrEqual(batch.size);
            expect(new Set(group.map((index) => messages[index]?.recipient)).size).toBe(group.length);
            expect(new Set(group.map((index) => messages[index]?.text)).size).toBe(1);
          }
        },
      ),
    );
  });
});
