import type { Dto, FieldError } from '@gangan/protocol';
import { fieldsOf } from './rules.js';
import { validate, type Validated } from './validate.js';

/** Settings of an organisation, by the key under which they are stored. */
interface SettingsType<T extends object> {
  readonly key: string;
  /** For error messages: `an OTP setting`. */
  readonly name: string;
  readonly dto: Dto<T>;
}

/** Validates settings; `undefined` means none. An unknown field is an error: it may be meant as a restriction. */
export function parseSettings<T extends object>(
  { key, name, dto }: SettingsType<T>,
  plain: unknown,
): Validated<T> {
  if (plain === undefined) return { ok: true, value: new dto() };
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    return { ok: false, errors: [{ field: key, message: `${key} must be an object`, type: 'object_type' }] };
  }
  const known = fieldsOf(dto);
  /** A field with `null` would count as absent. */
  const errors = Object.entries(plain).flatMap(([field, value]): FieldError[] => {
    if (!known.includes(field)) return [{ field, message: `${field} is not ${name}`, type: 'unknown_field' }];
    return value === null ? [{ field, message: `${field} may not be null`, type: 'value_error' }] : [];
  });
  return errors.length > 0 ? { ok: false, errors } : validate(dto, plain);
}
