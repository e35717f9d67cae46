import type { FieldError } from '@gangan/protocol';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsOptional, IsString, MinLength } from 'class-validator';
import { countriesFault, maxCountries } from '../sms/allowed-countries.js';
import { type NumberType, numberTypes } from '../phone-number.js';
import { MaxLength } from '../validation/fields/decorators.js';
import { parseSettings } from '../validation/parse-settings.js';
import type { Validated } from '../validation/validate.js';

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

  /** Countries (ISO 3166 alpha-2); OTPs to all others are rejected. */
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxCountries)
  @IsString({ each: true })
  countries?: string[];

  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @IsIn(numberTypes, { each: true })
  number_types?: NumberType[];
}

/** Validates settings; `undefined` means none. */
export function parseOtpSettings(plain: unknown): Validated<OtpSettings> {
  const result = parseSettings({ key: 'otp', name: 'an OTP setting', dto: OtpSettings }, plain);
  if (!result.ok) return result;
  const errors: FieldError[] = [];
  const textError = result.value.text === undefined ? undefined : otpTextError(result.value.text);
  if (textError !== undefined)
    errors.push({ field: 'text', message: `text ${textError}`, type: 'value_error' });
  const countryFault = countriesFault(result.value.countries ?? []);
  if (countryFault) errors.push(countryFault);
  return errors.length === 0 ? result : { ok: false, errors };
}
