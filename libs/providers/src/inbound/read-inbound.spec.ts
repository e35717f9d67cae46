import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findHttpFaults } from '../http/http-settings.js';
import type { InboundRequest } from '../http/inbound-document.js';
import { readInbound } from './read-inbound.js';

const reports = {
  reference: '/id',
  status: '/status',
  states: [{ status: ['Success'], state: 'delivered' }],
};
const incoming = { from: '/from', to: '/to', text: '/text', id: '/id', time: '/date' };
const json = (value: unknown): InboundRequest => ({
  query: '',
  contentType: 'application/json',
  body: JSON.stringify(value),
});
const form = (fields: Record<string, string>): InboundRequest => ({
  query: '',
  contentType: 'application/x-www-form-urlencoded',
  body: new URLSearchParams(fields).toString(),
});
const http = (settings: object, request: InboundRequest) => readInbound({ kind: 'http', settings }, request);

const fields = {
  from: '+2348031234567',
  to: '22345',
  text: ' Hello ',
  id: 'a1',
  date: '2026-11-17 09:30:00',
};
const message = {
  channel: 'sms',
  from: '+2348031234567',
  to: '22345',
  type: 'text',
  text: ' Hello ',
  reference: 'a1',
  sentAt: new Date('2026-11-17T09:30:00Z'),
};
const report = { id: 'b1', status: 'Success' };
const delivered = { providerReference: 'b1', state: 'delivered' };

describe('requests to a provider of the kind http', () => {
  it('are messages or reports', () => {
    const both = { reports, incoming };
    expect(http(both, form(fields))).toEqual({ messages: [message], reports: [], faults: [] });
    expect(http(both, json(report))).toEqual({ messages: [], reports: [delivered], faults: [] });
    expect(http({ incoming }, json(fields)).messages).toEqual([message]);
  });

  it('are about the message of their address, if they do not have our reference', () => {
    const at = (request: InboundRequest, settings: object = reports) =>
      http({ reports: settings }, { ...request, reference: 'r1' });
    expect(at(json(report)).reports).toEqual([{ ...delivered, reference: 'r1' }]);
    const own = { ...reports, ownReference: '/own' };
    expect(at(json({ ...report, own: 'r2' }), own).reports).toEqual([{ ...delivered, reference: 'r2' }]);
    expect(at(json({ status: 'Success' })).reports).toEqual([{ reference: 'r1', state: 'delivered' }]);
    // Several may be about other messages.
    const listed = { ...reports, list: '' };
    expect(at(json([report]), listed).reports).toEqual([{ ...delivered, reference: 'r1' }]);
    expect(at(json([report, report]), listed).reports).toEqual([delivered, delivered]);
  });

  it('may have both in one list', () => {
    const lists = { reports: { ...reports, list: '/results' }, incoming: { ...incoming, list: '/results' } };
    const results = [fields, report, { ...fields, id: 'a2', text: '' }, {}];
    expect(http(lists, json({ results }))).toEqual({
      messages: [message, { ...message, reference: 'a2', text: '' }],
      reports: [delivered],
      faults: ['a report has no reference'],
    });
    expect(http(lists, json({ results: [fields] })).faults).toEqual([]);
    expect(http(lists, json({})).faults).toEqual(['there is no list at "/results"']);
  });

  it('may be distinguished by a field if reports also have a text', () => {
    const settings = { reports, incoming: { ...incoming, when: { field: '/type', values: ['inbound'] } } };
    expect(http(settings, json({ ...fields, type: 'Inbound' })).messages).toHaveLength(1);
    const sent = { ...fields, ...report, type: 'outbound' };
    expect(http(settings, json(sent))).toEqual({ messages: [], reports: [delivered], faults: [] });
    expect(http(settings, json({ type: 'inbound', text: 'x' })).faults).toEqual([
      'a message has no sender, or no number that received it',
    ]);
  });

  it('are not read if a name is too long', () => {
    const long = 'x'.repeat(257);
    const both = { reports, incoming };
    for (const name of ['from', 'to'])
      expect(http(both, json({ ...fields, [name]: long }))).toEqual({
        ...{ messages: [], reports: [] },
        faults: ['the sender, the receiving number or the type of a message is too long'],
      });
    expect(http(both, json({ ...report, status: long })).faults).toEqual([
      'the status or the code of a report is too long',
    ]);
  });

  it('have at most 20 faults', () => {
    const results = Array.from({ length: 1_000 }, (_, index) => ({ id: 'a', status: `unknown ${index}` }));
    expect(http({ reports: { ...reports, list: '' } }, json(results)).faults).toHaveLength(20);
  });

  it('are rejected if they are neither', () => {
    expect(http({ incoming }, json(report)).faults).toEqual([
      'it has no message, and the provider has no settings for reports',
    ]);
    expect(http({}, json(fields)).faults).toEqual(['the provider has no settings for reports']);
    expect(http({ incoming, reports }, { ...json(0), body: '<html>' }).faults).toEqual([
      'the body is not JSON',
    ]);
  });

  it.each([
    ['1794735000', '2026-11-15T09:30:00.000Z'],
    ['1794735000123', '2026-11-15T09:30:00.123Z'],
    ['2026-11-15T09:30:00.123+0100', '2026-11-15T08:30:00.123Z'],
    ['2026-11-15T09:30+01:00', '2026-11-15T08:30:00.000Z'],
    ['2026-11-15T09:30:00z', '2026-11-15T09:30:00.000Z'],
    ['2026-13-15T09:30:00', undefined],
    ['yesterday', undefined],
    ['', undefined],
  ])('may have the time %j', (date, expected) => {
    const [read] = http({ incoming }, form({ ...fields, date })).messages;
    expect(read?.sentAt?.toISOString()).toBe(expected);
  });
});

describe('settings of incoming messages', () => {
  const faultsOf = (change: object) =>
    findHttpFaults(
      {
        request: { url: 'https://sms.example/', json: { to: '{recipient}', text: '{text}' } },
        answer: {},
        incoming: { ...incoming, ...change },
      },
      [],
    );

  it('are validated', () => {
    expect(faultsOf({})).toEqual([]);
    expect(faultsOf({ list: '', when: { field: '/type', values: ['inbound'] } })).toEqual([]);
    expect(faultsOf({ from: undefined, to: 'to', other: '/x', when: { field: '/x', values: [] } })).toEqual([
      expect.stringContaining("settings.incoming must have required property 'from'"),
      expect.stringContaining('other'),
      expect.stringContaining('settings.incoming.when.values'),
      expect.stringContaining('settings.incoming.to'),
    ]);
  });
});

describe('webhooks of WhatsApp', () => {
  const metadata = { display_phone_number: '15550783881', phone_number_id: '106540352242922' };
  const webhook = (...values: object[]): InboundRequest =>
    json({
      object: 'whatsapp_business_account',
      entry: values.map((value) => ({
        changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }],
      })),
    });
  const read = (request: InboundRequest) => readInbound({ kind: 'whatsapp', settings: {} }, request);
  const own = { from: '2348031234567', id: 'wamid.1', timestamp: '1794735000' };
  const expected = {
    channel: 'whatsapp',
    from: '+2348031234567',
    to: '+15550783881',
    reference: 'wamid.1',
    sentAt: new Date('2026-11-15T09:30:00Z'),
  };

  it('are refused if there are more than fit into the largest request', () => {
    const messages = Array.from({ length: 20_001 }, () => own);
    expect(read(webhook({ messages }))).toEqual({
      ...{ messages: [], reports: [], faults: ['it has more than 20000 messages: 20001'] },
    });
    expect(read(webhook({ messages: messages.slice(1) })).messages).toHaveLength(20_000);
  });

  it('may have messages and statuses', () => {
    const text = { ...own, type: 'text', text: { body: 'Hello' } };
    const status = { id: 'wamid.2', status: 'read' };
    expect(read(webhook({ messages: [text], statuses: [status] }, { messages: [text] }))).toEqual({
      messages: [
        { ...expected, type: 'text', text: 'Hello' },
        { ...expected, type: 'text', text: 'Hello' },
      ],
      reports: [{ providerReference: 'wamid.2', state: 'read' }],
      faults: [],
    });
  });

  it('are not read if a number or a type is too long', () => {
    const long = '1'.repeat(257);
    const faults = ['the sender, the receiving number or the type of a message is too long'];
    for (const change of [{ from: long }, { type: long }])
      expect(read(webhook({ messages: [{ ...own, ...change }] }))).toMatchObject({ messages: [], faults });
    const to = { metadata: { display_phone_number: long } };
    expect(read(webhook({ ...to, messages: [own, own] }))).toMatchObject({ messages: [], faults });
  });

  it.each<[content: object, text: string | undefined]>([
    [{ type: 'image', image: { id: '1', caption: 'My cat' } }, 'My cat'],
    [{ type: 'audio', audio: { id: '1' } }, undefined],
    [{ type: 'button', button: { text: 'Yes', payload: 'y' } }, 'Yes'],
    [
      { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: '1', title: 'No' } } },
      'No',
    ],
    [
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: '1', title: 'Two' } } },
      'Two',
    ],
    [{ type: 'reaction', reaction: { message_id: 'x', emoji: '👍' } }, '👍'],
    [{ type: 'unsupported', errors: [{ code: 131_051 }] }, undefined],
    [{ type: '~/' }, undefined],
  ])('keep the type of %j', (content, text) => {
    const { messages, faults } = read(webhook({ messages: [{ ...own, ...content }] }));
    expect(messages).toEqual([{ ...expected, type: (content as { type: string }).type, text }]);
    expect(faults).toEqual([]);
  });

  it('may have a user id in place of a phone number', () => {
    const rest = { id: own.id, timestamp: own.timestamp };
    const ids = webhook({
      messages: [
        { ...rest, from_user_id: 'NG.1234567890123' },
        { ...rest, user_id: 'NG.2' },
      ],
    });
    expect(read(ids).messages.map(({ from }) => from)).toEqual(['NG.1234567890123', 'NG.2']);
    expect(read(webhook({ messages: [rest] })).faults).toEqual([
      'a message has no sender, or no number that received it',
    ]);
  });
});

/** Parts of webhooks in any order, so that random documents come close to real ones. */
const key = fc.constantFrom(
  'entry',
  'changes',
  'value',
  'messages',
  'statuses',
  'metadata',
  'text',
  'type',
  'id',
);
const anyDocument = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'large' },
    fc.constantFrom('display_phone_number', 'image', '1', null, true, 7, {}),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('any document', () => {
  it('is read without an error', () => {
    fc.assert(
      fc.property(anyDocument, fc.constantFrom('http', 'whatsapp'), (document, kind) => {
        const { messages, faults } = readInbound({ kind, settings: { reports, incoming } }, json(document));
        for (const { from, to, type } of messages)
          expect([from, to, type].every((text) => typeof text === 'string' && text !== '')).toBe(true);
        expect(faults.length).toBeLessThan(100);
      }),
    );
  });
});
