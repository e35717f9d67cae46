import { describe, expect, it } from '@jest/globals';
import { validate } from '../validation/validate.js';
import { countRecipients, splitRecipients } from './send-sms.rules.js';
import { SendSmsRequest } from './send-sms.dto.js';
import { sendBulkSms, sendSms, sendSmsContractFor, sendSmsToSmartlist } from './sms.contract.js';

const good = { recipients: '08031234567', content: 'Hello' };
const templated = { content: undefined, template_id: 'Hi {{name}}' };

const faultsOf = (fields: object): string[] => {
  const result = validate(SendSmsRequest, { ...good, ...fields });
  return result.ok ? [] : result.errors.map(({ field, type }) => `${field} ${type}`);
};

/** Texts of a thousand characters are no titles. */
const named = (cases: readonly [fields: object, ...faults: string[]][]) =>
  cases.map(([fields, ...faults]) => [JSON.stringify(fields).slice(0, 60), fields, ...faults] as const);

describe('a request to send', () => {
  it.each(
    named([
      [{}],
      [{ sender_id: 'Gangan €[~]' }],
      [{ sender_id: null, channel: null, callback: null, personalisation: null, is_trackable: null }],
      [{ channel: 'whatsapp', is_trackable: true, external_ref: 'x'.repeat(255) }],
      [templated],
      [{ ...templated, content: '' }],
      [{ ...templated, content: 'both' }],
      [{ ...templated, personalisation: [{ to: '08031234567', substitutions: { name: '' } }] }],
      [{ ...templated, personalisation: [{ to: '08031234567', substitutions: { a: '😀'.repeat(1_600) } }] }],
      [{ personalisation: [] }],
      [{ content: 'x'.repeat(1_600) }],
      [{ recipients: Array(1_000).fill('08031234567').join(', ') }],
      [{ unknown: 1 }],
      [{ recipients: undefined, smartlist_id: 'x' }],
      [{ recipients: null, smartlist_id: 'x', phone_column: 'Mobile', personalisation: [] }],
      [{ ...templated, recipients: '', smartlist_id: 'x' }],
      [{ recipients: undefined, reply_to: 'x' }],
      [{ reply_to: 'x', channel: 'whatsapp' }],
      [{ recipients: undefined, smartlist_id: 'x', content: 'Dear {{Name}}' }],
      [{ ...templated, content: 'Hi {{name}}' }],
      [{ content: 'a {b} {{}} {{ }} }}{{ {{{c}' }],
    ]),
  )('may be %s', (_what, fields) => {
    expect(faultsOf(fields)).toEqual([]);
  });

  it.each(
    named([
      [{ recipients: '' }, 'recipients missing'],
      [{ recipients: ' ' }, 'recipients missing'],
      [{ recipients: undefined }, 'recipients missing'],
      [{ recipients: ['08031234567'] }, 'recipients string_type'],
      [{ recipients: 8031234567 }, 'recipients string_type'],
      [{ recipients: Array(1_001).fill('08031234567').join() }, 'recipients too_long'],
      [{ smartlist_id: 'x' }, 'smartlist_id value_error'],
      [{ recipients: undefined, smartlist_id: '' }, 'recipients missing', 'smartlist_id missing'],
      [{ recipients: undefined, smartlist_id: 5 }, 'smartlist_id string_type'],
      [{ phone_column: 'Mobile' }, 'phone_column value_error'],
      [{ recipients: undefined, reply_to: 'x', smartlist_id: 'y' }, 'reply_to value_error'],
      [{ recipients: undefined, reply_to: '' }, 'recipients missing', 'reply_to missing'],
      [{ reply_to: 5 }, 'reply_to string_type'],
      [{ recipients: undefined, smartlist_id: 'x', phone_column: ' ' }, 'phone_column missing'],
      [
        {
          ...templated,
          recipients: undefined,
          smartlist_id: 'x',
          personalisation: [{ to: '08031234567', substitutions: {} }],
        },
        'smartlist_id value_error',
      ],
      [{ sender_id: '' }, 'sender_id string_too_short'],
      [{ sender_id: '  ' }, 'sender_id value_error'],
      [{ sender_id: 'x'.repeat(12) }, 'sender_id string_too_long'],
      [{ sender_id: '😀' }, 'sender_id value_error'],
      [{ sender_id: 'a\nb' }, 'sender_id value_error'],
      [{ sender_id: 'a`b' }, 'sender_id value_error'],
      [{ sender_id: 5 }, 'sender_id string_type'],
      [{ channel: 'SMS' }, 'channel enum'],
      [{ channel: ['sms'] }, 'channel string_type'],
      [{ content: undefined }, 'content missing'],
      [{ content: null }, 'content missing'],
      [{ content: ' ' }, 'content missing'],
      [{ content: '\u0007\u0001\r\n\u200b' }, 'content missing'],
      [{ content: 5 }, 'content string_type'],
      [{ ...templated, content: 5 }, 'content string_type'],
      [{ content: 'x'.repeat(1_601) }, 'content string_too_long'],
      [{ content: 'Hi {{name}}' }, 'content placeholder'],
      [{ content: 'Hi {{}} {{ first name }}' }, 'content placeholder'],
      [{ content: 'Hi {{name}}', reply_to: 'x' }, 'content placeholder'],
      [{ content: `{{a}}${'x'.repeat(1_600)}` }, 'content string_too_long'],
      [{ template_id: '' }, 'template_id string_too_short'],
      [{ content: '', template_id: '' }, 'content missing', 'template_id string_too_short'],
      [{ template_id: {} }, 'template_id string_type'],
      [{ personalisation: [{ to: '08031234567', substitutions: {} }] }, 'personalisation value_error'],
      [{ ...templated, personalisation: {} }, 'personalisation list_type'],
      [
        {
          ...templated,
          personalisation: [
            { to: '08031234567', substitutions: { a: '😀'.repeat(1_601), b: 'x'.repeat(900_000) } },
          ],
        },
        'personalisation.0.substitutions.a string_too_long',
        'personalisation.0.substitutions.b string_too_long',
      ],
      [{ ...templated, personalisation: ['x'] }, 'personalisation.0 object_type'],
      [
        { ...templated, personalisation: [{}, { to: 7, substitutions: [] }] },
        'personalisation.0.to missing',
        'personalisation.0.substitutions missing',
        'personalisation.1.to string_type',
        'personalisation.1.substitutions object_type',
      ],
      [
        {
          ...templated,
          personalisation: [{ to: '08031234567', substitutions: { name: 5, x: 'y', z: null, a: [] } }],
        },
        'personalisation.0.substitutions.name string_type',
        'personalisation.0.substitutions.a string_type',
      ],
      [
        {
          ...templated,
          personalisation: [
            { to: 'nobody', substitutions: {} },
            { to: '1'.repeat(65), substitutions: {} },
          ],
        },
        'personalisation.0.to phone',
        'personalisation.1.to phone',
      ],
      [{ ...templated, personalisation: Array(1_001).fill({}) }, 'personalisation too_long'],
      [{ is_trackable: 'true' }, 'is_trackable boolean_type'],
      [{ external_ref: 'x'.repeat(256) }, 'external_ref string_too_long'],
      [{ external_ref: '  ' }, 'external_ref string_too_short'],
      [{ external_ref: 'a\r\nb' }, 'external_ref value_error'],
      [{ callback: 'ftp://example.com' }, 'callback url'],
      [{ callback: '/relative' }, 'callback url'],
      [{ callback: 'https://user:secret@example.com' }, 'callback url'],
      [{ callback: `https://example.com/${'x'.repeat(2_030)}` }, 'callback string_too_long'],
    ]),
  )('may not be %s', (_what, fields, ...faults) => {
    expect(faultsOf(fields)).toEqual(faults);
  });

  it.each<[fields: object, message: string]>([
    [{ sender_id: ' Acme' }, 'sender_id must not begin with a space'],
    [
      { sender_id: ' 😀' },
      'sender_id must consist of printable characters of the GSM-7 alphabet, and not begin with a space',
    ],
    [{ content: undefined }, 'content is required, unless there is a template_id'],
    [{ content: ' ' }, 'content is required, unless there is a template_id'],
    [{ content: '\u0007\u200b' }, 'content must contain visible text'],
    [
      { content: 'Hi { {{ name }}' },
      'content contains {{name}}, which nothing fills in: send a template (template_id) with personalisation, or remove the braces',
    ],
    [
      { content: `{{$value${'x'.repeat(200)}}}` },
      `content contains {{value${'x'.repeat(58)}}}, which nothing fills in: send a template (template_id) with personalisation, or remove the braces`,
    ],
    [
      { recipients: ['08031234567', '+2348059876543'] },
      'recipients must be a string with the numbers separated by commas, such as "08031234567, +2348059876543"',
    ],
    [
      { ...templated, personalisation: [{ to: 'Ada $value', substitutions: {} }] },
      'to must be a phone number such as +2348031234567, not "Ada value"',
    ],
  ])('reports what is wrong with %j', (fields, message) => {
    const result = validate(SendSmsRequest, { ...good, ...fields });
    expect(result).toMatchObject({ errors: [{ message }] });
  });

  it('reports invalid numbers with its other faults, each by its position', () => {
    expect(faultsOf({ recipients: '08031234567,,x, 112', sender_id: '😀' })).toEqual([
      'sender_id value_error',
      'recipients.1 missing',
      'recipients.2 phone',
      'recipients.3 phone',
    ]);
  });

  it('leaves invalid numbers to the worker, which parses them anyway', () => {
    expect(faultsOf({ recipients: ',' })).toEqual([]);
  });

  it('reports at most a hundred faults', () => {
    expect(faultsOf({ channel: 'x', recipients: ','.repeat(500) })).toHaveLength(100);
  });

  it('is sent alone when it has many recipients', () => {
    expect(sendSmsContractFor(good)).toBe(sendSms);
    expect(sendSmsContractFor({ ...good, recipients: Array(50).fill('0').join() })).toBe(sendBulkSms);
    expect(sendSmsContractFor({ content: 'Hello', smartlist_id: 'x' })).toBe(sendSmsToSmartlist);
    expect(sendSms.weigh({ ...good, recipients: '1,2,3' })).toBe(3);
  });
});

describe('a list of recipients', () => {
  it.each<[text: string, items: string[]]>([
    ['a', ['a']],
    ['a,b, c ,  d e ', ['a', 'b', 'c', 'd e']],
    [',', ['', '']],
    ['a,,b,', ['a', '', 'b', '']],
  ])('%j', (text, items) => {
    expect(splitRecipients(text)).toEqual(items);
    expect(countRecipients(text)).toBe(items.length);
  });
});
