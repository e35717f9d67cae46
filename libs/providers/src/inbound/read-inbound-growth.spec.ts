import { superLinearGrowth } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import type { InboundRequest } from '../http/inbound-document.js';
import { messagePresets } from '../presets/presets.js';
import { readInbound } from './read-inbound.js';

const usual = [10_000, 60_000];
/** For work that is quick for each byte. */
const large = [30_000, 180_000];

/** A text of about this many characters. */
const long = (size: number): string => ' '.repeat(size);
/** As many items as fit into this many bytes. */
const many = <T>(size: number, item: (index: number) => T): T[] =>
  Array.from({ length: Math.ceil(size / JSON.stringify(item(0)).length) }, (_, index) => item(index));
const json = (value: unknown): InboundRequest => ({
  query: '',
  contentType: 'application/json',
  body: JSON.stringify(value),
});
const form = (fields: readonly (readonly [string, string])[]): InboundRequest => ({
  query: '',
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
});

type Requests = Readonly<Record<string, (size: number) => InboundRequest>>;

function expectLinear(
  provider: { readonly kind: string; readonly settings: object },
  requests: Requests,
  sizes = usual,
) {
  it.each(Object.entries(requests))('%s', async (_, request) => {
    const fault = await superLinearGrowth(sizes, async (size) =>
      Promise.resolve(readInbound(provider, request(size))),
    );
    expect(fault).toBeUndefined();
  });
}

describe('the time to read a webhook of WhatsApp grows with its size', () => {
  const whatsApp = { kind: 'whatsapp', settings: {} };
  const change = (value: object, field = 'messages') => ({ field, value });
  const update = { message_template_name: 'a', message_template_language: 'en', event: 'PAUSED' };
  const template = change(update, 'message_template_status_update');
  const webhook = (changes: readonly object[], entry: object = {}): InboundRequest =>
    json({ entry: [{ ...entry, changes }] });
  const received = (to: string, messages: readonly object[]) =>
    webhook([change({ metadata: { display_phone_number: to }, messages })]);
  const message = { from: '2348031234567' };
  expectLinear(whatsApp, {
    'a long account id and many other changes': (size) =>
      webhook([template, ...many(size / 2, () => ({}))], { id: long(size / 2) }),
    'a long account id and many templates': (size) =>
      webhook(
        many(size / 2, () => template),
        { id: long(size / 2), time: long(size / 2) },
      ),
    'many entries with a template': (size) =>
      json({ entry: many(size, (index) => ({ id: String(index), changes: [template] })) }),
    'a long reason of a template': (size) =>
      webhook([change({ ...update, reason: long(size) }, 'message_template_status_update')]),
    'long senders, types and ids': (size) =>
      received(
        '15550783881',
        ['from', 'type', 'id', 'timestamp'].map((name) => ({ ...message, [name]: long(size / 4) })),
      ),
    'a type of many slashes': (size) =>
      received('15550783881', [{ ...message, type: '/~'.repeat(size / 2) }]),
    'many changes with messages': (size) =>
      webhook(many(size, () => change({ metadata: { display_phone_number: '1' }, messages: [message] }))),
    'a long status with a long code': (size) =>
      webhook([
        change({
          statuses: [{ id: '1', status: long(size / 2), errors: [{ code: `1${long(size / 2)}1` }] }],
        }),
      ]),
    'many unknown statuses': (size) =>
      webhook([change({ statuses: many(size, (index) => ({ id: 'a', status: `unknown ${index}` })) })]),
  });
  expectLinear(
    whatsApp,
    {
      'a long receiving number and many messages': (size) =>
        received(
          long(size / 2),
          many(size / 2, () => message),
        ),
    },
    large,
  );
});

const reports = {
  reference: '/id',
  status: '/status',
  code: ['/err', '/error/name'],
  states: Array.from({ length: 500 }, (_, index) => ({
    status: [`listed-${index}`],
    code: [`code-${index}`],
    text: `part-${index}`,
    state: 'delivered',
  })),
};
const incoming = {
  ...{ from: '/from', to: '/to', text: '/text', id: '/id', time: '/date' },
  when: { field: '/type', values: ['inbound'] },
};
const names = ['id', 'status', 'err', 'from', 'to', 'text', 'date', 'type'];
const item = { id: '1', status: 'sent', from: '08031234567', to: '22345', text: 'Hello' };

describe('the time to read a request of the kind http grows with its size', () => {
  const list = '/results';
  expectLinear(
    { kind: 'http', settings: { reports: { ...reports, list }, incoming: { ...incoming, list } } },
    {
      ...Object.fromEntries(
        names.map((name) => [
          `a long ${name} and many items`,
          (size: number) =>
            json({ results: [{ ...item, [name]: `1${long(size / 2)}1` }, ...many(size / 2, () => ({}))] }),
        ]),
      ),
      'many messages': (size) => json({ results: many(size, () => ({ ...item, type: 'inbound' })) }),
      'many unknown statuses': (size) =>
        json({ results: many(size, (index) => ({ id: 'a', status: String(index) })) }),
      'long numbers': (size) => json({ results: [{ ...item, number: 0 }], number: '1'.repeat(size) }),
      'escaped quotes': (size) => json({ text: `${'"'.repeat(size / 2)}1234567890123456` }),
    },
  );
});

describe.each(Object.entries(messagePresets))(
  'the time to read a request of the preset %s grows with its size',
  (_, { kind, settings }) => {
    const places: unknown[] = [settings.incoming ?? {}, settings.reports ?? {}].flatMap(Object.values);
    const fields = [...new Set(places)]
      .filter((place) => typeof place === 'string')
      .map((place) => place.split('/').at(-1) ?? '')
      .filter((name) => name !== '');
    const list = settings.reports?.list;
    const listed = (items: readonly object[]): InboundRequest =>
      json(list ? { [list.slice(1)]: items } : (items[0] ?? {}));
    expectLinear(
      { kind, settings },
      {
        'many items': (size) =>
          listed(many(size, () => Object.fromEntries(fields.map((name) => [name, '1'])))),
        'long texts': (size) =>
          listed([Object.fromEntries(fields.map((name) => [name, `1${long(size / fields.length)}1`]))]),
        'a form with long texts': (size) =>
          form(fields.map((name) => [name, `1${long(size / fields.length)}1`])),
        'a form with many fields': (size) => form(many(size, (index) => [`${index}`, ''] as const)),
        'a form that repeats its fields': (size) =>
          form(many(size, (index) => [fields[index % fields.length] ?? '', '1'] as const)),
      },
    );
  },
);
