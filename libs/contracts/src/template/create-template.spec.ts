import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validate } from '../validation/validate.js';
import { placeholderError, templatePattern } from './template-body.js';
import { ChangeTemplateFields, CreateTemplateRequest } from './template.dto.js';

const whatsApp = { channel: 'whatsapp', provider_name: 'order', language: 'en' };
const good = { name: 'Order', body: 'Dear {{name}}' };

const faultsOf = (fields: object): string[] => {
  const result = validate(CreateTemplateRequest, { ...good, ...fields });
  return result.ok ? [] : result.errors.map(({ field, type }) => `${field} ${type}`);
};

describe('the body of a template', () => {
  it.each(['no placeholder', '{{a}}', '{{A_1}} and {{b}}', '{{a}}{{a}}', '{{ a }}', 'x'.repeat(1_600)])(
    'may be %p',
    (body) => {
      expect(faultsOf({ body })).toEqual([]);
    },
  );

  it.each<[body: string, at: number]>([
    ['{', 1],
    ['}', 1],
    ['Dear {name}', 6],
    ['Dear {{name}', 6],
    ['Dear {{name', 6],
    ['Dear name}}', 10],
    ['{{a}} {{}}', 7],
    ['{{a}} {{ }}', 7],
    ['{{first name}}', 1],
    ['{{prénom}}', 1],
    ['{{a-b}}', 1],
    ['{{{a}}}', 1],
    ['{{a{{b}}}}', 1],
  ])('cannot be %p, and the error has the position', (body, at) => {
    expect(faultsOf({ body })).toEqual(['body value_error']);
    expect(placeholderError(body)).toMatch(new RegExp(`at characters? ${at}[ ,]`));
  });

  it.each<[body: unknown, type: string]>([
    [undefined, 'missing'],
    [null, 'missing'],
    [' ', 'missing'],
    [5, 'string_type'],
    [['{{a}}'], 'string_type'],
    ['x'.repeat(1_601), 'string_too_long'],
  ])('is not %p', (body, type) => {
    expect(faultsOf({ body })).toEqual([`body ${type}`]);
  });

  it('matches the documented pattern exactly when it is valid', () => {
    const part = fc.constantFrom('{', '}', '{{', '}}', ' ', 'a', 'b_1', '-', '\n', '{{a}}');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const body = parts.join('');
        expect(templatePattern.test(body)).toBe(placeholderError(body) === undefined);
      }),
    );
  });
});

describe('a request to create a template', () => {
  it.each<[fields: object, fault: string]>([
    [{ name: '' }, 'name missing'],
    [{ name: 'x'.repeat(256) }, 'name string_too_long'],
    [{ name: 5 }, 'name string_type'],
    [{ channel: 'SMS' }, 'channel enum'],
    [{ channel: ['sms'] }, 'channel string_type'],
    [{ ...whatsApp, provider_name: '' }, 'provider_name string_too_short'],
    [{ ...whatsApp, provider_name: ' ' }, 'provider_name string_too_short'],
    [{ ...whatsApp, provider_name: null }, 'provider_name missing'],
    [{ ...whatsApp, language: 'English' }, 'language value_error'],
    [{ ...whatsApp, language: undefined }, 'language missing'],
    [{ ...whatsApp, variables: ['name', 'name'] }, 'variables value_error'],
    [{ ...whatsApp, variables: [] }, 'variables value_error'],
    [{ provider_name: 'order' }, 'provider_name value_error'],
    [{ channel: 'sms', variables: ['name'] }, 'variables value_error'],
    [{ language: 5 }, 'language string_type'],
    [{ variables: 'name' }, 'variables list_type'],
    [{ variables: [5] }, 'variables string_type'],
    [{ ...whatsApp, body: 'x', variables: ['x'] }, 'variables value_error'],
  ])('is not %p', (fields, fault) => {
    expect(faultsOf(fields)).toEqual([fault]);
  });

  it('reports all faults at once', () => {
    expect(faultsOf({ name: null, body: '{{', channel: 'fax' }).sort()).toEqual([
      'body value_error',
      'channel enum',
      'name missing',
    ]);
    expect(
      faultsOf({ channel: 'whatsapp', body: `}${'x'.repeat(1_600)}`, variables: ['a'], language: 'English' }),
    ).toEqual(['body string_too_long', 'body value_error', 'provider_name missing', 'language value_error']);
    expect(faultsOf({ provider_name: 'x'.repeat(600), language: 'en', variables: ['name'] })).toEqual([
      'provider_name string_too_long',
      'provider_name value_error',
      'language value_error',
      'variables value_error',
    ]);
  });

  it('may be for WhatsApp', () => {
    for (const fields of [whatsApp, { ...whatsApp, variables: ['name'] }, { variables: [] }])
      expect(faultsOf(fields)).toEqual([]);
  });

  it('reports every wrong brace', () => {
    expect(placeholderError('{a} and {{b}')).toContain('braces at characters 1, 3, 9, 12 that are not');
    expect(placeholderError('} '.repeat(11))).toContain('17, 19, … that are not');
  });
});

describe('a request to change a template', () => {
  it('may be empty', () => {
    expect(validate(ChangeTemplateFields, {})).toMatchObject({ ok: true });
  });

  it.each([{ name: '' }, { name: ' ' }, { body: '' }, { body: ' ' }, { body: '{' }])(
    'cannot set %p',
    (fields) => {
      expect(validate(ChangeTemplateFields, fields)).toMatchObject({ ok: false });
    },
  );
});
