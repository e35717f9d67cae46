import type { FieldError } from '@gangan/protocol';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, MinLength } from 'class-validator';
import { isKnownRegion } from '../phone-number.js';
import { type NumberType, numberTypes } from '../number-type.js';
import { MaxLength } from '../validation/max-length.js';
import { fieldsOf } from '../validation/rules.js';
import { validate, type Validated } from '../validation/validate.js';
import { otpTextError } from './otp-text.js';

const mostCountries = 250;

/** What an organisation has chosen for its OTPs: `settings.otp`. What is absent is as configured, or not narrowed. */
export class OtpSettings {
  @IsOptional()
  @IsString()
  text?: string;

  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(512)
  template_name?: string;

  @IsOptional()
  @IsString()
  @MinLength(2)
  @MaxLength(16)
  template_language?: string;

  /** ISO 3166 alpha-2; all others are refused. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostCountries)
  @IsString({ each: true })
  countries?: string[];

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @IsIn(numberTypes, { each: true })
  number_types?: NumberType[];
}

/**
 * Holds what is stored, or is about to be, against the rules. `undefined` is nothing stored; whatever else is not
 * understood to the last field is refused, because it may have been meant to narrow something.
 */
export function parseOtpSettings(plain: unknown): Validated<OtpSettings> {
  if (plain === undefined) return { ok: true, value: new OtpSettings() };
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    return {
      ok: false,
      errors: [{ field: 'otp', message: 'otp must be an object', type: 'object_type' }],
    };
  }
  const strange = strangeFields(plain);
  if (strange.length > 0) return { ok: false, errors: strange };
  const result = validate(OtpSettings, plain);
  if (!result.ok) return result;
  const fault = result.value.text === undefined ? undefined : otpTextError(result.value.text);
  const unknown = result.value.countries?.find((country) => !isKnownRegion(country));
  const errors = [
    ...(fault === undefined ? [] : [{ field: 'text', message: `text ${fault}`, type: 'value_error' }]),
    ...(unknown === undefined
      ? []
      : [
          { field: 'countries', message: `${unknown} is no country (ISO 3166 alpha-2)`, type: 'value_error' },
        ]),
  ];
  return errors.length === 0 ? result : { ok: false, errors };
}

/** Fields that nobody knows; and `null`, which would pass for an absent one. */
function strangeFields(plain: object): FieldError[] {
  const known = fieldsOf(OtpSettings);
  return Object.entries(plain).flatMap(([field, value]) => {
    if (!known.includes(field))
      return [{ field, message: `${field} is no setting of OTPs`, type: 'extra_forbidden' }];
    return value === null ? [{ field, message: `${field} may not be null`, type: 'value_error' }] : [];
  });
}
