import { isAllowedNumberType, getNumberType, type OtpSettings, type ParsedPhone } from '@gangan/contracts';
import type { AppError } from '@gangan/protocol';
import { countryNotAllowed, numberTypeNotAllowed } from '../otp.errors.js';

/** Why an organisation that has narrowed where its OTPs go sends none to this number. */
export function destinationRefusal(
  { country, e164 }: Pick<ParsedPhone, 'country' | 'e164'>,
  { countries, number_types: types }: OtpSettings,
): AppError | undefined {
  if (countries && (country === undefined || !countries.includes(country))) return countryNotAllowed(country);
  if (!types) return undefined;
  const type = getNumberType(e164);
  return isAllowedNumberType(types, type) ? undefined : numberTypeNotAllowed(type);
}
