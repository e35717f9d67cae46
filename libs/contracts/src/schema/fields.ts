import type { Dto } from '@gangan/protocol';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
} from 'class-validator';
import { combine, HasTextValues, IsTimestamp, Required } from '../validation/fields/decorators.js';
import { Nested, NestedList } from '../validation/fields/nested.js';
import { ApiField, exampleId, exampleTime, type FieldOptions } from './api-field.js';

/** One decorator for the type, presence, description and example of a field; further rules follow it. */
const field =
  (rules: readonly (() => PropertyDecorator)[], defaultExample?: unknown) =>
  (text: string, example = defaultExample, options?: FieldOptions): PropertyDecorator =>
    combine(...rules.map((rule) => rule()), ApiField(text, example, options));

export const TextField = field([IsString]);
export const RequiredTextField = field([Required, IsString]);
export const OptionalTextField = field([IsOptional, IsString]);
export const IntegerField = field([IsInt]);
export const OptionalIntegerField = field([IsOptional, IsInt]);
export const NumberField = field([IsNumber]);
export const OptionalNumberField = field([IsOptional, IsNumber]);
export const BooleanField = field([IsBoolean]);
export const OptionalBooleanField = field([IsOptional, IsBoolean]);
export const IdField = field([IsUUID], exampleId);
export const OptionalIdField = field([IsOptional, IsUUID], exampleId);
export const TimeField = field([IsTimestamp], exampleTime);
export const OptionalTimeField = field([IsOptional, IsTimestamp], exampleTime);
export const TextListField = field([IsArray, () => IsString({ each: true })]);
export const TextMapField = field([IsObject, HasTextValues]);

export const EnumField = (values: readonly unknown[], text: string, example?: unknown): PropertyDecorator =>
  combine(IsIn(values), ApiField(text, example));

export const OptionalEnumField = (...field: Parameters<typeof EnumField>): PropertyDecorator =>
  combine(IsOptional(), EnumField(...field));

export const ObjectField = (type: Dto<object>, text: string, options?: FieldOptions): PropertyDecorator =>
  combine(Nested(type), ApiField(text, undefined, options));

export const OptionalObjectField = (...field: Parameters<typeof ObjectField>): PropertyDecorator =>
  combine(IsOptional(), ObjectField(...field));

export const ListField = (type: Dto<object>, text: string, example?: unknown): PropertyDecorator =>
  combine(NestedList(type), ApiField(text, example));
