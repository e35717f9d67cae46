import { describe, expect, it } from '@jest/globals';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUrl,
  Max,
  Min,
  MinLength,
} from 'class-validator';
import fc from 'fast-check';
import { IsPhone, MaxLength, Required, rule } from './fields/decorators.js';
import { Nested, NestedList } from './fields/nested.js';
import { validate } from './validate.js';

class Part {
  @Required()
  @IsPhone()
  to: string;

  @IsOptional()
  @IsString()
  note?: string;
}

class Everything {
  @Required()
  @IsString()
  @MinLength(2)
  @MaxLength(4)
  text: string;

  @IsOptional() @IsNumber() @Min(1) @Max(9) number?: number;
  @IsOptional() @IsInt() integer?: number;
  @IsOptional() @IsBoolean() flag?: boolean;
  @IsOptional() @IsArray() @ArrayMaxSize(2) list?: unknown[];
  @IsOptional() @IsObject() map?: object;
  @IsOptional() @IsIn(['sms', 'whatsapp']) channel?: string;
  @IsOptional() @IsString() @IsPhone() phone?: string;
  @IsOptional() @IsUrl() url?: string;
  @IsOptional() @IsEmail() email?: string;
  @IsOptional() @IsISO8601() date?: string;
  @IsOptional() @Nested(Part) part?: Part;
  @IsOptional() @NestedList(Part) parts?: Part[];
}

class Inherited extends Everything {}

const errorsOf = (plain: object): [string, string][] => {
  const result = validate(Everything, plain);
  return result.ok ? [] : result.errors.map(({ field, type }) => [field, type]);
};

describe('validate', () => {
  it('returns the DTO if everything is valid', () => {
    const plain = {
      text: 'abc',
      number: 1.5,
      parts: [{ to: '08031234567' }],
      part: { to: '+447911123456', note: '' },
    };
    const result = validate(Everything, plain);
    expect(result).toEqual({ ok: true, value: plain });
    if (!result.ok) return;
    expect(result.value).toBeInstanceOf(Everything);
    expect(result.value.parts?.[0]).toBeInstanceOf(Part);
  });

  it.each([
    [{}, 'text', 'missing'],
    [{ text: null }, 'text', 'missing'],
    [{ text: '' }, 'text', 'missing'],
    [{ text: ' \n' }, 'text', 'missing'],
    [{ text: 1 }, 'text', 'string_type'],
    [{ text: ['ab'] }, 'text', 'string_type'],
    [{ text: { length: 3 } }, 'text', 'string_type'],
    [{ text: 'a' }, 'text', 'string_too_short'],
    [{ text: 'abcde' }, 'text', 'string_too_long'],
    [{ text: 'abc', number: '1' }, 'number', 'number_type'],
    [{ text: 'abc', number: Infinity }, 'number', 'number_type'],
    [{ text: 'abc', number: 0 }, 'number', 'greater_than_equal'],
    [{ text: 'abc', number: 10 }, 'number', 'less_than_equal'],
    [{ text: 'abc', integer: 4.5 }, 'integer', 'integer_type'],
    [{ text: 'abc', integer: '6' }, 'integer', 'integer_type'],
    [{ text: 'abc', flag: 'true' }, 'flag', 'boolean_type'],
    [{ text: 'abc', list: {} }, 'list', 'list_type'],
    [{ text: 'abc', list: [1, 2, 3] }, 'list', 'too_long'],
    [{ text: 'abc', map: [] }, 'map', 'object_type'],
    [{ text: 'abc', channel: 'SMS' }, 'channel', 'enum'],
    [{ text: 'abc', channel: ['sms'] }, 'channel', 'enum'],
    [{ text: 'abc', phone: '112' }, 'phone', 'phone'],
    [{ text: 'abc', phone: 8031234567 }, 'phone', 'string_type'],
    [{ text: 'abc', url: 'x' }, 'url', 'url'],
    [{ text: 'abc', email: 'x' }, 'email', 'email'],
    [{ text: 'abc', date: 'x' }, 'date', 'date'],
    [{ text: 'abc', part: [] }, 'part', 'object_type'],
    [{ text: 'abc', part: 'x' }, 'part', 'object_type'],
    [{ text: 'abc', part: {} }, 'part.to', 'missing'],
    [{ text: 'abc', part: { to: 'x' } }, 'part.to', 'phone'],
    [{ text: 'abc', parts: {} }, 'parts', 'list_type'],
    [{ text: 'abc', parts: [null] }, 'parts.0', 'object_type'],
    [{ text: 'abc', parts: [[]] }, 'parts.0', 'object_type'],
    [{ text: 'abc', parts: [{ to: '08031234567' }, { to: '' }] }, 'parts.1.to', 'missing'],
  ])('%j: %s is %s', (plain, field, type) => {
    expect(errorsOf(plain)).toEqual([[field, type]]);
  });

  it('names every invalid field at once', () => {
    expect(errorsOf({ number: 'x', parts: [{}, { to: 1 }] })).toEqual([
      ['text', 'missing'],
      ['number', 'number_type'],
      ['parts.0.to', 'missing'],
      ['parts.1.to', 'phone'],
    ]);
  });

  it('names at most a hundred faults, and then stops', () => {
    let looks = 0;
    const part = {
      get to(): string {
        looks += 1;
        return 'x';
      },
    };
    const errors = errorsOf({ parts: Array.from({ length: 10_000 }, () => part) });
    expect(errors).toHaveLength(100);
    expect(errors.at(-1)).toEqual(['parts.98.to', 'phone']);
    expect(looks).toBeLessThan(500);
    expect(errorsOf({ text: 'abc', parts: Array.from({ length: 10_000 }, () => null) })).toHaveLength(100);
  });

  it('checks an inherited field against its own class too', () => {
    expect(validate(Inherited, { text: 'abc', parts: [{}] })).toMatchObject({
      errors: [{ field: 'parts.0.to', type: 'missing' }],
    });
  });

  it.each([
    [{ txet: 'abc' }, 'text is required (txet is not a field of this request)'],
    [{ Text: 'abc' }, 'text is required (Text is not a field of this request)'],
    [{ text: 'abc', part: { too: 'x' } }, 'to is required (too is not a field of this request)'],
    [{ text: 'abc', parts: [{ t: 'x' }] }, 'to is required (t is not a field of this request)'],
    [{ content: 'abc' }, 'text is required'],
    [{ text: '', texxt: 'abc' }, 'text is required'],
    [{ number: 1 }, 'text is required'],
    [{ ['text'.repeat(100)]: 'abc' }, 'text is required'],
    [{ ...Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, 1])) }, 'text is required'],
  ])('suggests the field that was meant: %.60j', (plain, message) => {
    expect(validate(Everything, plain)).toMatchObject({ errors: [{ type: 'missing', message }] });
  });

  it('passes no text of unbounded length to a rule', () => {
    const lengths: number[] = [];
    const record = (value: unknown): boolean => {
      lengths.push(String(value).length);
      return true;
    };
    const Watch = rule('watch', record, '');
    class Watched {
      @Watch() @IsString() text: string;
      @Watch() @IsString() @MaxLength(10) short: string;
    }
    const long = 'x'.repeat(1_000_000);
    const result = validate(Watched, { text: long, short: long });
    expect(result.ok ? [] : result.errors).toEqual([
      { field: 'text', message: expect.stringContaining('4096 characters'), type: 'string_too_long' },
      { field: 'short', message: expect.stringContaining('10 characters'), type: 'string_too_long' },
    ]);
    expect(lengths).toHaveLength(2);
    expect(Math.max(...lengths)).toBeLessThan(10_000);
  });

  it('says what is allowed', () => {
    expect(validate(Everything, { text: 'abc', channel: 'fax' })).toMatchObject({
      errors: [{ message: expect.stringContaining('sms, whatsapp') }],
    });
  });

  it.each([
    [{ number: '1' }, 'number must be a number'],
    [{ integer: 1.5 }, 'integer must be an integer number'],
    [{ number: 0 }, 'number must not be less than 1'],
  ])('reports %j: %s', (plain, message) => {
    expect(validate(Everything, { text: 'abc', ...plain })).toMatchObject({ errors: [{ message }] });
  });

  it('treats null in an optional field as absent, and drops it and unknown fields', () => {
    const result = validate(Everything, {
      text: 'abc',
      number: null,
      other: 1,
      hasOwnProperty: 2,
      toString: 3,
      part: { to: '08031234567', extra: 1, note: null },
    });
    expect(result).toEqual({ ok: true, value: { text: 'abc', part: { to: '08031234567' } } });
    expect(result.ok && Object.keys(result.value)).toEqual(['text', 'part']);
  });

  it('ignores __proto__ and constructor', () => {
    const plain = JSON.parse(
      '{"__proto__":{"text":"abc","polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as object;
    expect(errorsOf(plain)).toEqual([['text', 'missing']]);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('never throws for any JSON', () => {
    const names = fc.constantFrom(
      'text',
      'number',
      'part',
      'parts',
      'to',
      'phone',
      'list',
      '__proto__',
      'constructor',
      'toString',
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value')),
        tie('object'),
      ),
      object: fc.dictionary(names, tie('value')),
    }));
    fc.assert(
      fc.property(json.object, (plain) => {
        const result = validate(Everything, plain as object);
        if (!result.ok) expect(result.errors.length).toBeGreaterThan(0);
      }),
    );
  });
});
