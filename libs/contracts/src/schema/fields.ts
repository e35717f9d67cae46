import { IsBoolean, IsInt, IsNumber, IsOptional, IsString } from 'class-validator';
import { combine, Required } from '../validation/decorators.js';
import { ApiField } from './api-field.js';

/** One decorator for the type, presence, description and example of a field; further rules follow it. */
const field =
  (...rules: readonly (() => PropertyDecorator)[]) =>
  (text: string, example?: unknown): PropertyDecorator =>
    combine(...rules.map((rule) => rule()), ApiField(text, example));

export const TextField = field(IsString);
export const RequiredTextField = field(Required, IsString);
export const OptionalTextField = field(IsOptional, IsString);
export const IntegerField = field(IsInt);
export const OptionalIntegerField = field(IsOptional, IsInt);
export const NumberField = field(IsNumber);
export const OptionalNumberField = field(IsOptional, IsNumber);
export const BooleanField = field(IsBoolean);
export const OptionalBooleanField = field(IsOptional, IsBoolean);
