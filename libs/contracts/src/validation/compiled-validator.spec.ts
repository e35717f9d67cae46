import { describe, expect, it } from '@jest/globals';
import type { Dto } from '@gangan/protocol';
import {
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  MinLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { allContracts } from '../registry.js';
import { findDescription, getSchemaOptions } from '../schema/api-field.js';
import { ContractSettings } from '../settings.js';
import { buildIfValid } from './compiled-validator.js';
import { IsPhone, MaxLength, Required, rule } from './fields/decorators.js';
import { ItemErrors, Nested, nestedFields, NestedList } from './fields/nested.js';
import { fieldsOf, maxLengthOf } from './rules.js';
import { findErrors, validate } from './validate.js';

class Part {
  @Required() @IsPhone() to: string;
  @IsOptional() @NestedList(Part) parts?: Part[];
}

/** Has every kind of rule that the requests use, and some that they do not use yet. */
class Sample extends Part {
  @ValidateIf(({ text }: Sample) => text !== 'any') @IsString() @MinLength(2) @MaxLength(4) text: string;
  @IsOptional() @IsArray() @IsString({ each: true }) @Matches(/^a/, { each: true }) list?: string[];
  @IsOptional() @IsInt({ each: true }) numbers?: unknown;
  @IsOptional() @Nested(Part) part?: Part;
  @IsOptional()
  @(rule('followsText', (value, { text }: Sample) => value === text, 'must be equal to text')())
  copy?: string;

  @IsOptional()
  @ItemErrors((value) => (value === 'bad' ? [{ at: '0', message: 'is bad', type: 'value_error' }] : []))
  @ItemErrors(() => [{ at: '1', message: 'is never reported alone', type: 'value_error' }], {
    onlyWithOtherErrors: true,
  })
  @IsString()
  items?: string;
}

const settings = new ContractSettings({ DEFAULT_REGION: 'NG' });
const dtos = [
  ...new Set([
    Sample,
    ...allContracts.flatMap((contract) => (contract.kind === 'request' ? [contract.request] : [])),
  ]),
];

/** Bodies that are nearly right: most fields have their documented example, a text at its limit, or a nested object. */
const bodiesOf = (dto: Dto<object>, depth = 0): fc.Arbitrary<object> => {
  const nested = new Map(nestedFields.of(dto));
  const valuesOf = (field: string): fc.Arbitrary<unknown> => {
    const examples = findDescription(dto, field)?.examples ?? ['abc', '08031234567'];
    const max = maxLengthOf(dto, field);
    const type = nested.get(field);
    const inner = type && depth < 2 ? bodiesOf(type, depth + 1) : fc.constant({});
    return fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...examples) },
      { weight: type ? 8 : 1, arbitrary: fc.oneof(inner, fc.array(inner, { maxLength: 3 })) },
      fc.constantFrom(0, 1, 2 ** 31).map((more) => 'é'.repeat(Math.min(max + more, 2 * max + 1))),
      fc.constantFrom(
        '',
        ' ',
        'any',
        'bad',
        'ab',
        '😀',
        '2026-11-15',
        'sms',
        null,
        true,
        4,
        1.5,
        [],
        ['a', 'b'],
      ),
      fc.jsonValue({ maxDepth: 2 }),
    );
  };
  const fields = Object.fromEntries(fieldsOf(dto).map((field) => [field, valuesOf(field)]));
  const examples = Object.values(getSchemaOptions(dto).examples ?? {});
  const base = examples.length > 0 ? fc.constantFrom({}, ...examples) : fc.constant({});
  return fc
    .tuple(
      base,
      fc.record(fields, { requiredKeys: [] }),
      fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 1 }),
    )
    .map(([documented, random, unknown]) => ({ ...unknown, ...random, ...documented }));
};

describe('the compiled validator', () => {
  it.each(dtos.map((dto) => [dto.name, dto] as const))(
    'accepts the same bodies as class-validator, with the same values and errors: %s',
    (_, dto) => {
      fc.assert(
        fc.property(bodiesOf(dto), (plain) => {
          const [before, expected] = [structuredClone(plain), findErrors(dto, plain, settings)];
          const built = buildIfValid(dto, plain, settings);
          expect(built).toStrictEqual(expected.ok ? expected.value : undefined);
          expect(JSON.stringify(built)).toBe(expected.ok ? JSON.stringify(expected.value) : undefined);
          expect(validate(dto, plain, settings)).toStrictEqual(expected);
          expect(plain).toEqual(before);
        }),
      );
    },
  );

  it('accepts documented requests', () => {
    const valid = dtos.filter((dto) => {
      const [example] = Object.values(getSchemaOptions(dto).examples ?? {});
      const fields = fieldsOf(dto).map((field) => [field, findDescription(dto, field)?.examples?.[0]]);
      const plain =
        example ?? (Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as object);
      return buildIfValid(dto, plain, settings) !== undefined;
    });
    expect(valid.length).toBeGreaterThan(dtos.length / 2);
  });

  it('leaves other kinds of rules to class-validator', () => {
    class Unusual {
      @ValidateNested() part: Part;
    }
    expect(buildIfValid(Unusual, { part: {} }, settings)).toBeUndefined();
  });
});
