import { describe, expect, it } from '@jest/globals';
import { messagePresets } from '../presets/presets.js';
import { findWhatsAppFaults, whatsAppSecrets } from '../whatsapp/whatsapp-settings.js';
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
  it('may be minimal', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it('of a preset name what an operator must replace', () => {
    const { settings, secrets } = messagePresets['africastalking'] ?? {};
    expect(findHttpFaults(settings, secrets ?? [])).toEqual([
      'settings.request has {your_username}: replace it with your own value',
    ]);
  });

  it('may describe how to read the credit', () => {
    const request = {
      ...valid.request,
      json: undefined,
      form: { to: '{recipient}', sms: '{text}', user: 'acme' },
    };
    const credit = { request: { url: '/balance?user={form.user}&key={secret.key}' }, amount: '/balance' };
    expect(faultsOf({ request, credit: { ...credit, currency: 'NGN', warnBelow: 12.5 } })).toEqual([]);
    const wrong = { ...credit, request: { url: 'http://a.example/{form.to}' }, warnBelow: 'much' };
    expect(faultsOf({ request, credit: wrong }, [])).toEqual([
      expect.stringContaining('settings.credit.request uses {form.to}, which is not a placeholder'),
      expect.stringContaining('settings.credit.request.url must begin with https://'),
      expect.stringContaining('settings.credit.warnBelow is not an amount'),
    ]);
    const amount = { match: 'balance (.*)' };
    expect(faultsOf({ request, credit: { ...credit, amount, currency: { match: '([A-Z]{3})' } } })).toEqual(
      [],
    );
    expect(faultsOf({ request, credit: { ...credit, amount: { match: '(a)(b)' } } })).toEqual([
      expect.stringContaining('settings.credit.amount.match cannot be used'),
    ]);
    expect(faultsOf({ credit: { ...credit, currency: 'naira' } })).toEqual([
      expect.stringContaining('settings.credit.currency must match pattern'),
    ]);
  });

  it('may say how the provider counts pages, and what reports say about the cost', () => {
    const reports = { reference: '/id', status: '/status', states: [{ status: ['ok'], state: 'delivered' }] };
    const cost = { price: '/price', priceCurrency: '/unit', parts: '/count' };
    const pageRules = [
      { characters: ';[', single: 70 },
      { single: 160, multiple: 153 },
    ];
    expect(faultsOf({ pageRules, reports: { ...reports, cost } })).toEqual([]);
    expect(
      faultsOf({ cost: { currency: 'NGN' }, reports: { ...reports, cost: { price: '/price' } } }),
    ).toEqual([]);
    expect(faultsOf({ cost: { currency: 'NGN' }, reports })).toEqual([
      'settings.cost has neither perPart nor price',
    ]);
    expect(faultsOf({ reports: { ...reports, cost: { price: '/price' } } })).toEqual([
      expect.stringContaining('settings.reports.cost has no currency'),
    ]);
    const byCategory = { currency: 'USD', perPart: { NG: { marketing: '0.05' } } };
    for (const [change, fault] of [
      [{ pageRules: [] }, 'settings.pageRules must NOT have fewer than 1 items'],
      [{ pageRules: [{ single: 0 }] }, 'settings.pageRules.0.single must be >= 1'],
      [
        { pageRules: [{ characters: '', single: 70 }] },
        'settings.pageRules.0.characters must NOT have fewer',
      ],
      [
        { pageRules: [{ single: 70, pages: 2 }] },
        'settings.pageRules.0 must NOT have additional properties: pages',
      ],
      [{ reports: { ...reports, cost: {} } }, "settings.reports.cost must have required property 'price'"],
      [{ cost: byCategory }, 'settings.cost.perPart.NG must be string,number'],
      [
        { cost: { currency: 'USD', price: '/price', onlyDelivered: true } },
        'settings.cost must NOT have additional properties: onlyDelivered',
      ],
    ] as const)
      expect(faultsOf(change)[0]).toContain(fault);
    const whatsApp = (perPart: object) =>
      findWhatsAppFaults({ phoneNumberId: 1, cost: { currency: 'USD', perPart } }, whatsAppSecrets);
    expect(whatsApp({ ...byCategory.perPart, any: '0.1', '234803': { any: 1 } })).toEqual([]);
    expect(whatsApp({ NG: { Marketing: 1 }, any: {} }).join()).toMatch(/cost.perPart.NG.*cost.perPart.any/);
    expect(whatsApp({ NGA: { marketing: 'x' } })).toEqual([
      'settings.cost.perPart.NGA is not a prefix such as 234803, a country such as NG, or any',
      'settings.cost.perPart.NGA.marketing is not an amount with at most 6 decimals',
    ]);
  });

  it('are refused with all faults in one error', () => {
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
      expect.stringContaining('form and text: give one body'),
      expect.stringContaining('GET cannot have a body'),
      expect.stringContaining('must not have a placeholder in its host'),
      expect.stringContaining('the secret key is given, but'),
      expect.stringContaining('does not use {text}'),
      expect.stringContaining('does not use {recipient}'),
      expect.stringContaining('answer.reference.match'),
      expect.stringContaining('answer.code is missing'),
      expect.stringContaining('outcomes.0 has no condition'),
    ]);
    const hours = (own: object) => faultsOf({ outcomes: [{ status: 409, outcome: 'quiet', ...own }] });
    expect(hours({ hours: '20:00-08:00 Africa/Lagos' })).toEqual([]);
    expect(hours({})).toEqual([expect.stringContaining('outcomes.0.hours is missing')]);
    expect(hours({ hours: 'at night' })).toEqual([expect.stringContaining('outcomes.0.hours must be two')]);
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

  it('have patterns that RE2 runs, with one group', () => {
    const codeFaults = (match: string) => faultsOf({ answer: { code: { match } } });
    for (const match of [
      '^(\\w+)',
      '^OK(?: now)? (\\S+)',
      '([(+)*]+)\\)+',
      '^(\\w+)+$',
      '(?<code>\\d{1,64})',
    ])
      expect([match, codeFaults(match)]).toEqual([match, []]);
    for (const [match, reason] of [
      ['(', 'settings.answer.code.match cannot be used: missing closing )'],
      ['(?=x)(y)', 'without lookaround and backreferences'],
      ['(a)\\1', 'without lookaround and backreferences'],
      ['no group', 'exactly one group'],
      ['(a)(b)', 'exactly one group'],
      ['((?:[a-z]{1,30}){1,30})', 'too large'],
      [`(${'a'.repeat(300)})`, 'must NOT have more than 256 characters'],
    ] as const)
      expect([match, codeFaults(match)]).toEqual([match, [expect.stringContaining(reason)]]);
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

  it('have one way of access, with secrets', () => {
    const oauth2 = { url: 'https://sms.example/token', basic: { username: 'me', password: '{secret.key}' } };
    expect(requestFaults({ oauth2 })).toEqual([]);
    expect(requestFaults({ oauth2, bearer: '{secret.key}' })).toEqual([
      expect.stringContaining('has bearer and oauth2: give one'),
    ]);
    const plain = {
      url: 'http://{sender}/',
      form: { client_secret: 'abc', id: '{secret.id}', to: '{recipient}' },
    };
    expect(requestFaults({ oauth2: plain })).toEqual([
      expect.stringContaining('oauth2 uses {sender}, which is not a placeholder; use secret.NAME'),
      expect.stringContaining('oauth2 uses {secret.id}, but the secret id is not given'),
      expect.stringContaining('oauth2 uses {recipient}'),
      expect.stringContaining('oauth2.url must not have a placeholder in its host'),
      expect.stringContaining('oauth2.url must begin with https://'),
    ]);
    expect(requestFaults({ oauth2: { url: oauth2.url } })).toEqual([
      expect.stringContaining('oauth2 must contain {secret.NAME}'),
    ]);
  });

  it('sign with a secret', () => {
    const hmac = {
      header: 'X-Signature',
      algorithm: 'sha256',
      secret: '{secret.key}',
      of: '{timestamp}.{body}',
    };
    expect(requestFaults({ hmac })).toEqual([]);
    expect(requestFaults({ hmac: { ...hmac, header: 'Host', secret: 'abc', of: '{text}' } })).toEqual([
      expect.stringContaining('hmac.secret must contain {secret.NAME}'),
      expect.stringContaining('hmac.of uses {text}'),
      expect.stringContaining('hmac.headers must not set Host'),
    ]);
    expect(requestFaults({ hmac: { ...hmac, algorithm: 'crc' } })).toHaveLength(1);
  });

  it('have batches whose results can be found', () => {
    const request = {
      url: valid.request.url,
      headers: { key: '{secret.key}' },
      json: { from: '{sender}', list: [{ to: '{recipient}', text: '{text}', id: '{reference}' }] },
    };
    const batchFaults = (change: object, answer: object = { items: '/results' }) =>
      faultsOf({ request: { ...request, ...change }, answer });
    const items = { size: 10, items: '/list' };
    expect(batchFaults({ batch: items })).toEqual([]);
    expect(batchFaults({ batch: items }, {})).toEqual([expect.stringContaining('answer.items is missing')]);
    expect(batchFaults({ batch: { size: 10 } })).toEqual([
      expect.stringContaining('either items or separator'),
    ]);
    expect(batchFaults({ batch: { size: 10, items: '/json' } })).toEqual([
      expect.stringContaining('is not a list with one element'),
      expect.stringContaining('batch.items does not use {recipient}'),
      expect.stringContaining('uses {recipient} outside'),
      expect.stringContaining('uses {reference} outside'),
    ]);
    const json = { to: '{recipient}', text: '{text}' };
    const separator = { json, batch: { size: 10, separator: ',' } };
    expect(batchFaults(separator, { items: '/results', recipient: '/to' })).toEqual([]);
    expect(batchFaults(separator)).toEqual([expect.stringContaining('answer.recipient is missing')]);
    expect(batchFaults({ batch: { size: 1, items: '/list' } })).toHaveLength(1);
    const national = { json: { to: '0{recipient_national}', text: '{text}' }, batch: separator.batch };
    expect(batchFaults(national, { items: '/results', recipient: '/to' })).toEqual([
      expect.stringContaining('a prefix before {recipient_national}'),
    ]);
  });

  it('have batches whose results have the number or our reference, not both', () => {
    const item = { to: '{recipient}', text: '{text}', key: '{secret.key}' };
    const faults = (own: object, answer: object) =>
      faultsOf({
        request: { url: valid.request.url, json: [{ ...item, ...own }], batch: { size: 10, items: '' } },
        answer: { items: '/results', ownReference: '/ref', ...answer },
      });
    expect(faults({ id: '{reference}' }, {})).toEqual([]);
    expect(faults({ id: '{reference}' }, { recipient: '/to' })).toEqual([
      'settings.answer has recipient and ownReference: give one',
    ]);
    expect(faults({}, {})).toEqual([
      expect.stringContaining('answer.ownReference needs {reference} in the list'),
    ]);
  });

  it('have an address for reports about each message, and say how reports look', () => {
    const json = { ...valid.request.json, callback: '{report_url}' };
    const reports = { status: '/status', states: [{ status: ['ok'], state: 'delivered' }] };
    const faults = (change: object, given: object = json) =>
      faultsOf({ request: { ...valid.request, json: given }, ...change });
    expect(faults({ reports })).toEqual([]);
    expect(faults({})).toEqual([expect.stringContaining('{report_url}, but settings.reports does not say')]);
    expect(faults({ reports }, valid.request.json)).toEqual([
      expect.stringContaining('give reference or ownReference, or use {report_url}'),
    ]);
    const shared = { callback: '{report_url}', list: [valid.request.json] };
    const batch = {
      request: { ...valid.request, json: shared, batch: { size: 9, items: '/list' } },
      reports,
    };
    expect(faultsOf({ ...batch, answer: { items: '/results' } })).toEqual([
      expect.stringContaining('uses {report_url} outside of what is repeated'),
    ]);
  });

  it('query a message by our reference', () => {
    const json = { ...valid.request.json, id: '{reference}' };
    const ask = { request: { url: '/logs/{reference}' }, answer: { items: '/results' } };
    const askFaults = (change: object, request: object = { ...valid.request, json }) =>
      faultsOf({ request, ask: { ...ask, ...change } });
    expect(askFaults({ outcomes: [{ status: 404, outcome: 'not_found' }] })).toEqual([]);
    expect(askFaults({}, valid.request)).toEqual([expect.stringContaining('ask needs {reference}')]);
    expect(
      askFaults({ request: { url: 'https://sms.example/{recipient}' }, answer: { accepted: ['0'] } }),
    ).toEqual([
      expect.stringContaining('settings.ask.request uses {recipient}'),
      expect.stringContaining('settings.ask.request does not use {reference}'),
      expect.stringContaining('settings.ask.answer.code is missing'),
    ]);
    expect(askFaults({ outcomes: [{ status: 404, outcome: 'throttled' }] })).toHaveLength(1);
  });

  it('ask for the state of a message by the reference of the provider', () => {
    const poll = { request: { url: '/messages/{provider_reference}?key={secret.key}' }, status: '/state' };
    const states = [{ status: ['ok'], state: 'delivered' }];
    const reports = { reference: '/id', status: '/status', states };
    const faults = (change: object, others: object = { reports }) =>
      faultsOf({ poll: { ...poll, ...change }, ...others });
    expect(faults({})).toEqual([]);
    expect(faults({ states, afterSeconds: 10, perSecond: 20 }, {})).toEqual([]);
    expect(faults({}, {})).toEqual([expect.stringContaining('settings.poll.states is missing')]);
    expect(
      faults({ request: { url: 'http://a.example/{reference}' }, states: [{ code: ['1'], state: 'sent' }] }),
    ).toEqual([
      expect.stringContaining(
        'settings.poll.request uses {reference}, which is not a placeholder; use provider_reference',
      ),
      expect.stringContaining('settings.poll.request.url must begin with https://'),
      expect.stringContaining('settings.poll.request does not use {provider_reference}'),
      expect.stringContaining('settings.poll.code is missing'),
    ]);
    expect(faults({ status: { match: 'no group' } })).toEqual([
      expect.stringContaining('settings.poll.status.match cannot be used'),
    ]);
    expect(faults({ perSecond: 1_000, every: 5 })).toHaveLength(2);
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
