import type { FieldError } from '@gangan/protocol';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, MinLength } from 'class-validator';
import { isKnownRegion, type NumberType, numberTypes } from '../phone-number.js';
import { MaxLength } from '../validation/fields/decorators.js';
import { fieldsOf } from '../validation/rules.js';
import { validate, type Validated } from '../validation/validate.js';

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;
const maxOtpTextLength = 480;

/** Replaces all placeholders in one pass: placeholders inside a code are not expanded. */
export const renderOtpText = (text: string, values: Readonly<Record<'code' | 'minutes', string>>): string =>
  text.replace(placeholder, (whole, name: string) =>
    name === 'code' || name === 'minutes' ? values[name] : whole,
  );

/** Returns what is wrong with the text of OTP messages; `undefined` if it is valid. */
export function otpTextError(text: string): string | undefined {
  const names = [...text.matchAll(placeholder)].map(([, name]) => name);
  const unknown = names.find((name) => name !== 'code' && name !== 'minutes');
  if (!names.includes('code')) return 'must contain {{code}}';
  if (unknown !== undefined) return `may contain {{code}} and {{minutes}}, not {{${unknown}}}`;
  if (text.length > maxOtpTextLength) return `may have at most ${maxOtpTextLength} characters`;
  return text.includes('\0') ? 'may not contain NUL' : undefined;
}

/** The `settings.otp` of an organisation. An absent field means the default, or no restriction. */
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

  /** ISO 3166 alpha-2; OTPs to all other countries are rejected. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(250)
  @IsString({ each: true })
  countries?: string[];

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @IsIn(numberTypes, { each: true })
  number_types?: NumberType[];
}

/** Validates settings; `undefined` means none. An unknown field is an error: it may be meant as a restriction. */
export function parseOtpSettings(plain: unknown): Validated<OtpSettings> {
  if (plain === undefined) return { ok: true, value: new OtpSettings() };
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    return { ok: false, errors: [{ field: 'otp', message: 'otp must be an object', type: 'object_type' }] };
  }
  const unknown = unknownFields(plain);
  if (unknown.length > 0) return { ok: false, errors: unknown };
  const result = validate(OtpSettings, plain);
  if (!result.ok) return result;
  const errors: FieldError[] = [];
  const textError = result.value.text === undefined ? undefined : otpTextError(result.value.text);
  if (textError !== undefined)
    errors.push({ field: 'text', message: `text ${textError}`, type: 'value_error' });
  const country = result.value.countries?.find((code) => !isKnownRegion(code));
  if (country !== undefined) {
    const message = `${country} is not a country (ISO 3166 alpha-2)`;
    errors.push({ field: 'countries', message, type: 'value_error' });
  }
  return errors.length === 0 ? result : { ok: false, errors };
}

/** Unknown fields, and fields with `null`, which would count as absent. */
function unknownFields(plain: object): FieldError[] {
  const known = fieldsOf(OtpSettings);
  return Object.entries(plain).flatMap(([field, value]) => {
    if (!known.includes(field))
      return [{ field, message: `${field} is not an OTP setting`, type: 'extra_forbidden' }];
    return value === null ? [{ field, message: `${field} may not be null`, type: 'value_error' }] : [];
  });
}
