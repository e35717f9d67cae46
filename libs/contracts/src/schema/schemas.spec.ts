import { describe, expect, it } from '@jest/globals';
import { IsArray, IsIn, IsInt, IsLatitude, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { IsPhone, Required } from '../validation/fields/decorators.js';
import { Nested, NestedList } from '../validation/fields/nested.js';
import { ApiField } from './api-field.js';
import { Schemas } from './schemas.js';

class Inner {
  @IsString()
  name: string;

  @IsOptional()
  @NestedList(Inner)
  more?: Inner[];
}

class Parent {
  @Required()
  @IsString()
  @IsPhone()
  @ApiField('Whom', '08031234567')
  recipient: string;
}

class Sample extends Parent {
  @Required()
  @IsInt()
  @Min(4)
  @Max(8)
  length: number;

  @IsOptional()
  @IsIn(['sms', 'whatsapp'])
  channel?: string;

  @IsArray()
  @IsString({ each: true })
  lines: string[];

  @Nested(Inner)
  @ApiField('What is inside')
  inner: Inner;

  @Required()
  @IsString()
  @Matches(/^a/)
  code: string;
}

describe('Schemas', () => {
  it('reads a class from its validation and its descriptions', () => {
    const schemas = new Schemas();
    expect(schemas.of(Sample)).toEqual({ $ref: '#/components/schemas/Sample' });
    expect(schemas.of([Inner])).toEqual({ type: 'array', items: { $ref: '#/components/schemas/Inner' } });
    expect(schemas.components).toEqual({
      Inner: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          more: { type: 'array', items: { $ref: '#/components/schemas/Inner' } },
        },
        required: ['name'],
      },
      Sample: {
        type: 'object',
        properties: {
          length: { type: 'integer', minimum: 4, maximum: 8 },
          channel: { type: 'string', enum: ['sms', 'whatsapp'] },
          lines: { type: 'array', items: { type: 'string' } },
          inner: { $ref: '#/components/schemas/Inner', description: 'What is inside' },
          code: { type: 'string', pattern: '\\S', allOf: [{ type: 'string', pattern: '^a' }] },
          recipient: {
            type: 'string',
            format: 'phone',
            pattern: '\\S',
            description: 'Whom',
            examples: ['08031234567'],
          },
        },
        required: ['recipient', 'length', 'lines', 'inner', 'code'],
      },
    });
  });

  it('refuses a constraint without a description, and says where to add one', () => {
    class Odd {
      @IsLatitude()
      place: number;
    }
    expect(() => new Schemas().of(Odd)).toThrow(/Odd\.place .*"isLatitude".*constraints\.ts/);
  });

  it('refuses two classes with the same name', () => {
    const schemas = new Schemas();
    const other = (() => {
      class Inner {
        @IsString()
        text: string;
      }
      return Inner;
    })();
    schemas.of(Inner);
    expect(() => schemas.of(other)).toThrow('Two DTO classes have the name Inner');
  });
});
